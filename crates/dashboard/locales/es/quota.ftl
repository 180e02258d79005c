# Quotas, drawn as bars.

quota-storage = Almacenamiento
quota-tracks = Pistas
quota-minutes = Minutos
quota-records = Registros
quota-metadata = Metadatos
quota-used = { $used } de { $limit } en uso
quota-title = Cuotas
quota-full = Llena
quota-hint = Las pistas nuevas se rechazan cuando una cuota está llena. Los archivos de las pistas eliminadas cuentan hasta que se eliminan definitivamente. El operador de este servicio establece las cuotas.
