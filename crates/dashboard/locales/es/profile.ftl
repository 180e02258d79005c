# What people change of themselves.

profile-title = Su perfil
profile-name = Nombre
profile-you-sign-in-with = Inicia sesión con { $email }.
profile-save-name = Guardar nombre
profile-language = Idioma
profile-language-browser = El del navegador
profile-save-language = Guardar idioma
profile-password = Contraseña
profile-current-password = Contraseña actual
profile-new-password = Contraseña nueva
profile-password-hint = Al menos 10 caracteres. Se cierra la sesión en sus otros navegadores y terminan los enlaces sin usar que usted creó, y también sus subidas e importaciones.
profile-change-password = Cambiar contraseña
profile-wrong-password = esta contraseña es incorrecta
profile-second-factor = Autenticación en dos pasos
profile-on = Activada
profile-off = Desactivada
profile-factor-on = Al iniciar sesión se pide un código de su aplicación de autenticación.
profile-codes-left = { $count ->
    [one] Queda { $count } de 10 códigos de recuperación.
   *[other] Quedan { $count } de 10 códigos de recuperación.
}
profile-factor-off = Proteja su cuenta con códigos de una aplicación de autenticación.
profile-manage = Gestionar
profile-set-up = Configurar
profile-set-up-title = Configuración
profile-sessions = Sesiones activas
profile-browser = Navegador
profile-address = Dirección IP
profile-last-active = Última actividad
profile-actions = Acciones
profile-this = Actual
profile-sign-out = Cerrar sesión
profile-sign-out-everywhere = Cerrar sesión en todas partes
profile-sign-out-links = También terminan los enlaces sin usar que usted creó: invitaciones y enlaces de contraseña. También terminan sus subidas e importaciones.
profile-organizations = Sus organizaciones
profile-no-organization = Todavía no pertenece a ninguna organización. Pida una invitación a un propietario.
profile-new-organization = Organización nueva
profile-create-organization = Crear organización
profile-browser-on = { $browser } en { $system }
profile-unknown-browser = Navegador desconocido
profile-factor-explanation = Tras la contraseña, al iniciar sesión se pide un código de una aplicación de autenticación.
profile-your-codes = Sus códigos de recuperación
profile-your-codes-explanation = Guárdelos ahora: se muestran una sola vez. Cada uno permite iniciar sesión una vez si pierde su dispositivo.
profile-recovery-codes = Códigos de recuperación
profile-copy = Copiar
profile-done = Listo
profile-on-since = Activada desde el <time data-exact datetime="{ $time }">{ $time }</time>.
profile-code = Código
profile-new-codes-hint = Los códigos nuevos sustituyen a los que tiene.
profile-new-codes = Crear códigos de recuperación nuevos
profile-turn-off = Desactivar
profile-removing-hint = Un código de su aplicación o un código de recuperación.
profile-scan = Escanee el código
profile-scan-explanation = Escanéelo con una aplicación de autenticación en su teléfono e introduzca los seis dígitos que muestra.
profile-qr = Código QR para su aplicación de autenticación
profile-no-camera = ¿No tiene cámara? Introduzca esta clave en la aplicación: <code id="secret">{ $key }</code>
profile-turn-on = Activar
profile-cancel = Cancelar
profile-continue = Continuar
profile-organization-name = el nombre { $problem }
profile-no-password = No tiene contraseña. Para elegir una, pida un enlace a un administrador.
profile-identities = Cuentas vinculadas
profile-identities-explanation = Puede iniciar sesión con una cuenta de { $provider } vinculada aquí.
profile-provider = Proveedor
profile-account = Cuenta
profile-last-used = Último uso
profile-unlink = Desvincular
profile-unlink-explanation = Al desvincular una cuenta se cierra la sesión en sus otros navegadores.
profile-still-linked = Todavía puede iniciar sesión con estas cuentas vinculadas: { $accounts }. Desvincule las que no sean suyas.
profile-unlink-too = Desvincular también todas las cuentas
profile-link-account = Vincular una cuenta de { $provider }
profile-leaving = Se le va a dirigir a { $provider }. Si no ocurre nada, use el botón.
