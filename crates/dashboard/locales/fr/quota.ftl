# Quotas, drawn as bars.

quota-storage = Stockage
quota-tracks = Pistes
quota-minutes = Minutes
quota-records = Enregistrements
quota-metadata = Métadonnées
quota-used = { $used } sur { $limit }
quota-title = Quotas
quota-full = Plein
quota-hint = Les nouvelles pistes sont refusées lorsqu’un quota est plein. Les fichiers des pistes supprimées comptent jusqu’à leur suppression définitive. L’exploitant de ce service fixe les quotas.
