# The audit log.

audit-export = Exporter en NDJSON
audit-hint = Modifications de cette organisation, les plus récentes d’abord.
audit-action = Action
audit-all-actions = Toutes les actions
audit-filter = Filtrer
audit-none = Aucune entrée pour l’instant
audit-none-hint = Les modifications faites par des personnes, des clés et la ligne de commande apparaissent ici.
audit-actor = Auteur
audit-target = Cible
audit-address = Adresse IP
audit-former-member = Ancien membre
audit-key = Clé d’API
audit-uploader = Auteur de l’envoi
audit-command-line = Ligne de commande
audit-stranger = Non connecté
