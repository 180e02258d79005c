# What was listened to and delivered.

## The period

usage-hint = Escuchas, oyentes y datos entregados por día (UTC).
usage-period = Periodo
usage-days = { $count } días
usage-from = Desde
usage-to = Hasta
usage-none = Sin uso en este periodo
usage-appears = Las escuchas nuevas aparecen aquí en segundos.

## Numbers

usage-listens = Escuchas
usage-listeners = Oyentes
usage-heard = Tiempo escuchado
usage-delivered = Datos entregados
usage-stored = Almacenado
usage-now = Escuchando ahora
usage-listeners-added = Oyentes por día, sumados
usage-counted = Cómo se cuentan las escuchas
usage-counted-hint = Se cuenta una escucha cuando al menos un minuto de una pista, o una pista más corta completa, se entrega a un oyente en un día. Un oyente es una dirección de red con un navegador o una aplicación; los bots conocidos no cuentan. La misma persona cuenta de nuevo otro día. Abrir una página o un enlace compartido sin reproducir nada no es una escucha. El tiempo escuchado es lo reproducido, donde los reproductores lo comunican (los de Tonearm lo hacen: { $played }), y en los demás casos la duración de lo entregado: los reproductores cargan por adelantado, así que puede haberse oído menos.

## Charts

usage-listens-per-day = Escuchas por día
usage-listeners-per-day = Oyentes por día
usage-heard-per-day = Tiempo escuchado por día
usage-delivered-per-day = Datos entregados por día
usage-day = Día
usage-show-table = Mostrar como tabla
usage-show-table-of = Mostrar como tabla: { $title }

## Tables

usage-export = Exportar CSV
usage-export-days = Exportar escuchas por día (CSV)
usage-by-track = Por pista
usage-by-collection = Por colección
usage-by-share-link = Por enlace compartido
usage-by-site = Por sitio
usage-by-country = Por país
usage-export-by-track = Exportar CSV por pista
usage-export-by-collection = Exportar CSV por colección
usage-export-by-share-link = Exportar CSV por enlace compartido
usage-export-by-site = Exportar CSV por sitio
usage-export-by-country = Exportar CSV por país
usage-listens-by-track = Escuchas por pista
usage-listens-by-collection = Escuchas por colección
usage-listens-by-share-link = Escuchas por enlace compartido
usage-listens-by-site = Escuchas por sitio
usage-listens-by-country = Escuchas por país
usage-share-key = Enlace compartido
usage-site = Sitio
usage-country = País
usage-no-track = No se escuchó ninguna pista en este periodo.
usage-no-collection = No se escuchó ninguna colección en este periodo.
usage-no-share-link = No se escuchó ningún enlace compartido en este periodo.
usage-no-site = No se vio ningún otro sitio con un reproductor en este periodo.
usage-no-country = No se reconoció ningún país en este periodo.
usage-more = { $count } más en el CSV.
usage-deleted-key = Clave eliminada
usage-other-sites = Otros sitios
usage-delivered-by-track = Datos entregados por pista
usage-delivered-by-variant = Datos entregados por variante
usage-export-delivered-by-track = Exportar CSV de los datos entregados por pista
usage-export-delivered-by-variant = Exportar CSV de los datos entregados por variante
usage-requests = Peticiones
usage-starts = Inicios
usage-downloads = Descargas
usage-requests-hint = Las peticiones son los enlaces compartidos abiertos y las pistas obtenidas por reproductores, se haya escuchado algo o no. Los inicios son las entregas de sonido desde el principio de un archivo.
usage-shared-covers = Carátulas compartidas
usage-unknown-variant = Variante desconocida
usage-largest = Pistas más grandes

## How far listeners get

usage-drop-off-of = Abandonos de { $title }
usage-drop-off-hint = Qué partes obtuvieron los oyentes en los últimos siete días.
usage-open-track = Abrir la pista
usage-no-listens = Sin escuchas en los últimos siete días
usage-listens-by-part = Escuchas por parte de la pista
usage-count-by-part = { $count ->
    [one] 1 escucha por parte de la pista
   *[other] { $count } escuchas por parte de la pista
}
usage-parts-hint = Una parte cuenta cuando se ha reproducido, donde los reproductores lo comunican (los de Tonearm lo hacen), y en los demás casos cuando se ha entregado, un tiempo antes.
usage-share = Proporción
