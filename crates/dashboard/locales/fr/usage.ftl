# What was listened to and delivered.

## The period

usage-hint = Écoutes, auditeurs et données livrées par jour (UTC).
usage-period = Période
usage-days = { $count } jours
usage-from = Du
usage-to = Au
usage-none = Aucune utilisation pendant cette période
usage-appears = Les nouvelles écoutes apparaissent ici en quelques secondes.

## Numbers

usage-listens = Écoutes
usage-listeners = Auditeurs
usage-heard = Temps d’écoute
usage-delivered = Données livrées
usage-stored = Stockage
usage-now = À l’écoute maintenant
usage-listeners-added = Auditeurs par jour, additionnés
usage-counted = Comment les écoutes sont comptées
usage-counted-hint = Une écoute est comptée lorsqu’au moins une minute d’une piste, ou une piste plus courte en entier, est livrée à un auditeur en un jour. Un auditeur est une adresse réseau avec un navigateur ou une application ; les robots connus sont exclus. La même personne compte à nouveau un autre jour. Ouvrir une page ou un lien de partage sans lancer la lecture n’est pas une écoute. Le temps d’écoute est ce qui a été joué, là où les lecteurs le signalent (ceux de Tonearm le font : { $played }), et sinon la durée de ce qui a été livré : les lecteurs chargent en avance, il se peut donc que moins ait été entendu.

## Charts

usage-listens-per-day = Écoutes par jour
usage-listeners-per-day = Auditeurs par jour
usage-heard-per-day = Temps d’écoute par jour
usage-delivered-per-day = Données livrées par jour
usage-day = Jour
usage-show-table = Afficher sous forme de tableau
usage-show-table-of = Afficher sous forme de tableau : { $title }

## Tables

usage-export = Exporter en CSV
usage-export-days = Exporter les écoutes par jour (CSV)
usage-by-track = Par piste
usage-by-collection = Par collection
usage-by-share-link = Par lien de partage
usage-by-site = Par site
usage-by-country = Par pays
usage-export-by-track = Exporter en CSV par piste
usage-export-by-collection = Exporter en CSV par collection
usage-export-by-share-link = Exporter en CSV par lien de partage
usage-export-by-site = Exporter en CSV par site
usage-export-by-country = Exporter en CSV par pays
usage-listens-by-track = Écoutes par piste
usage-listens-by-collection = Écoutes par collection
usage-listens-by-share-link = Écoutes par lien de partage
usage-listens-by-site = Écoutes par site
usage-listens-by-country = Écoutes par pays
usage-share-key = Lien de partage
usage-site = Site
usage-country = Pays
usage-no-track = Aucune piste n’a été écoutée pendant cette période.
usage-no-collection = Aucune collection n’a été écoutée pendant cette période.
usage-no-share-link = Aucun lien de partage n’a été écouté pendant cette période.
usage-no-site = Aucun autre site avec un lecteur n’a été vu pendant cette période.
usage-no-country = Aucun pays n’a été reconnu pendant cette période.
usage-more = { $count } de plus dans le CSV.
usage-deleted-key = Clé supprimée
usage-other-sites = Autres sites
usage-delivered-by-track = Données livrées par piste
usage-delivered-by-variant = Données livrées par variante
usage-export-delivered-by-track = Exporter en CSV les données livrées par piste
usage-export-delivered-by-variant = Exporter en CSV les données livrées par variante
usage-requests = Requêtes
usage-starts = Démarrages
usage-downloads = Téléchargements
usage-requests-hint = Les requêtes sont les liens de partage ouverts et les pistes récupérées par les lecteurs, que quelque chose ait été écouté ou non. Les démarrages sont les livraisons de son depuis le début d’un fichier.
usage-shared-covers = Pochettes partagées
usage-unknown-variant = Variante inconnue
usage-largest = Pistes les plus volumineuses

## How far listeners get

usage-drop-off-of = Abandons de { $title }
usage-drop-off-hint = Quelles parties les auditeurs ont récupérées ces sept derniers jours.
usage-open-track = Ouvrir la piste
usage-no-listens = Aucune écoute ces sept derniers jours
usage-listens-by-part = Écoutes par partie de la piste
usage-count-by-part = { $count ->
    [one] { $count } écoute par partie de la piste
   *[other] { $count } écoutes par partie de la piste
}
usage-parts-hint = Une partie compte dès qu’elle a été jouée, là où les lecteurs le signalent (ceux de Tonearm le font), et sinon dès qu’elle a été livrée, un peu avant.
usage-share = Part
