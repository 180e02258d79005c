# Fields of several forms: covers, colours, and the websites that may use a key.

field-image = Imagen
field-upload-cover = Subir carátula
field-cover-square = Se recorta en forma de cuadrado.
field-colour-own = Color de reproductor propio
field-colour = Color del reproductor
field-colour-ignored = Los reproductores lo ignoran, porque la organización no permite colores propios.
field-colour-shades = Tonos del color del reproductor
field-colour-light = Modo claro
field-colour-dark = Modo oscuro
field-origins = Sitios web que pueden usar esta clave
field-origins-all = Todos los sitios web
field-origins-only = Solo estos:
field-origins-label = Orígenes permitidos, uno por línea
field-origins-hint = Un origen por línea. Impide que otros sitios web usen una copia de la clave en los navegadores de sus visitantes. No detiene a los programas, que pueden enviar cualquier origen o ninguno: quien tenga la clave puede usarla desde un servidor.
field-changed = Este campo se ha cambiado mientras tanto a «{ $value }». Guarde de nuevo para reemplazarlo.
field-cleared = Este campo se ha vaciado mientras tanto. Guarde de nuevo para reemplazarlo.
