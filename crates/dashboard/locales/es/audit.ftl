# The audit log.

audit-export = Exportar como NDJSON
audit-hint = Cambios en esta organización, los más recientes primero.
audit-action = Acción
audit-all-actions = Todas las acciones
audit-filter = Filtrar
audit-none = Aún no hay entradas
audit-none-hint = Aquí aparecen los cambios hechos por personas, claves y la línea de comandos.
audit-actor = Autor
audit-target = Objeto
audit-address = Dirección IP
audit-former-member = Antiguo miembro
audit-key = Clave de API
audit-uploader = Subida
audit-command-line = Línea de comandos
audit-stranger = Sin iniciar sesión
