# The library: collections, lists of tracks, selections, sharing, first steps, deleted items.

## Words of several pages

library-heading = Bibliothèque
library-all-tracks = Toutes les pistes
library-deleted-items = Éléments supprimés
library-collection = Collection
library-variant = Variante
library-title = Titre
library-name = Nom
library-cover = Pochette
library-cover-remove = Supprimer la pochette
library-share = Partager
library-open = Ouvrir
library-copy = Copier
library-download = Télécharger
library-save = Enregistrer les modifications
library-cancel = Annuler
library-delete = Supprimer
library-previous = Précédent
library-next = Suivant
library-pages = Pagination

## Numbers

library-collections = { $count ->
    [one] { $count } collection
   *[other] { $count } collections
}
library-more-tracks = plus de { $count } pistes
library-more-collections = plus de { $count } collections
library-found-tracks = { $count ->
    [one] { $count } piste trouvée
   *[other] { $count } pistes trouvées
}
library-found-collections = { $count ->
    [one] { $count } collection trouvée
   *[other] { $count } collections trouvées
}
library-found-more-tracks = plus de { $count } pistes trouvées
library-found-more-collections = plus de { $count } collections trouvées

## Search and order

library-search-collections = Rechercher des collections
library-search-tracks = Rechercher des pistes
library-search = Rechercher
library-apply = Appliquer
library-sort = Trier par
library-sort-order = Ordre manuel
library-sort-newest = Les plus récentes d’abord
library-sort-oldest = Les plus anciennes d’abord
library-sort-longest = Les plus longues d’abord
library-sort-status = État
library-no-matching-collections = Aucune collection correspondante
library-no-such-collection = Aucun titre de collection ne contient tous les mots recherchés.
library-search-tracks-instead = Aucun titre de collection ne contient tous les mots recherchés. <a href="{ $base }/tracks?{ $query }">Rechercher plutôt des pistes</a>.
library-no-matching-tracks = Aucune piste correspondante
library-search-all-collections = Aucune piste de cette collection ne correspond à tous les mots recherchés. <a href="{ $base }/tracks?{ $query }">Rechercher dans toutes les collections</a>.
library-no-such-track = Aucune piste ne contient tous les mots recherchés dans son titre, son sous-titre, son nom de fichier, votre propre ID ou ses tags.

## Collections

library-no-collections = Aucune collection pour l’instant
library-what-is-a-collection = Une collection regroupe des pistes : un album, une émission ou un cours, par exemple.
library-ask-editor = Demandez à un éditeur d’en ajouter une.
library-new-collection = Nouvelle collection
library-create-collection = Créer la collection
library-add-tracks = Ajouter des pistes
library-drop-files = Déposez des fichiers audio ou des dossiers ici, ou choisissez des fichiers.
library-choose-folder = Choisir un dossier
library-upload-files = Envoyer les fichiers
library-import-from = Importer depuis une URL
library-import-example = https://example.com/song.mp3 ou s3://bucket/song.mp3
library-import = Importer
library-no-tracks = Aucune piste pour l’instant
library-tracks-appear = Les pistes envoyées apparaissent ici.
library-open-to-upload = Ouvrez une collection pour y envoyer des pistes.
library-collection-details = Détails de la collection
library-player-subtitle = Sous-titre dans le lecteur
library-cover-of = Pochette de { $title }
library-deletes-collection = Supprime la collection et ses pistes. Leurs liens cessent de fonctionner. Vous pouvez les restaurer pendant un temps limité.
library-confirm-delete-collection = { $count ->
    [0] Supprimer cette collection vide ?
    [one] Supprimer cette collection et sa piste ?
   *[other] Supprimer cette collection et ses { $count } pistes ?
}
library-delete-collection = Supprimer la collection

## Selected tracks

library-select = Sélectionner
library-select-track = Sélectionner { $title }
library-select-all = Tout sélectionner sur cette page
library-move = Déplacer…
library-retitle = Renommer…
library-move-count = { $count ->
    [one] Déplacer { $count } piste
   *[other] Déplacer { $count } pistes
}
library-move-hint = Les pistes sont ajoutées à la fin de la collection. Une piste n’est que dans une collection à la fois.
library-more-to-find = Il y a d’autres collections. Utilisez la recherche pour les trouver.
library-move-tracks = Déplacer les pistes
library-create-and-move = Créer la collection et déplacer les pistes
library-choose-collection = Choisissez une collection.
library-unselect = Tout désélectionner
library-move-to-position = Déplacer à la position…
library-position = Position
library-position-hint = { $count ->
    [one] La collection contient { $count } piste.
   *[other] La collection contient { $count } pistes. La première piste sélectionnée prend cette position et les autres la suivent.
}
library-position-number = Saisissez un nombre entier à partir de 1.
library-move-to-start = Déplacer au début
library-move-to-end = Déplacer à la fin
library-retitle-count = { $count ->
    [one] Renommer { $count } piste
   *[other] Renommer { $count } pistes
}
library-retitle-hint = Une piste sans titre affiche le titre de son fichier.
library-tracks-left-out = Certaines des pistes sélectionnées ont été supprimées ou déplacées entre-temps. Elles ne figurent plus ici.
library-save-titles = Enregistrer les titres

## Deleted items

library-trash-hint = Restaurez des pistes et des collections avant leur suppression définitive.
library-no-deleted-items = Aucun élément supprimé
library-no-deleted-items-hint = Les éléments supprimés dans le tableau de bord peuvent être restaurés ici pendant un temps limité.
library-trash-collections = { $count ->
    [one] { $count } collection, pistes comprises
   *[other] { $count } collections, pistes comprises
}
library-trash-more-collections = plus de { $count } collections, pistes comprises
library-deleted-at = Suppression
library-restorable-until = Restaurable jusqu’à
library-actions = Actions
library-restore = Restaurer
library-restore-one = Restaurer { $title }

## Sharing

library-share-title = Partager { $title }
library-share-track = Partager la piste
library-share-collection = Partager la collection
library-share-not-playable = La piste ne peut pas encore être lue. Ses liens fonctionneront dès qu’elle pourra l’être.
library-share-link = Lien de partage
library-share-url = Lien
library-share-embed = Intégrer
library-share-theme = Thème
library-theme-system = Suivre le système
library-theme-light = Clair
library-theme-dark = Sombre
library-share-size = Taille
library-size-compact = Compact ({ $pixels } px)
library-size-list = Avec liste ({ $pixels } px)
library-size-tall = Avec longue liste ({ $pixels } px)
library-share-update = Actualiser l’aperçu
library-share-preview = Aperçu du lecteur intégré
library-iframe = Iframe, pour toute page
library-web-component = Composant web, pour vos propres pages
library-stream-url = URL du flux audio
library-new-link = Nouveau lien
library-new-link-hint = Toute personne disposant du lien peut écouter, jusqu’à ce qu’il expire ou soit révoqué.
library-share-expires = Expire
library-expires-never = Jamais
library-expires-day = Dans 1 jour
library-expires-week = Dans 7 jours
library-expires-month = Dans 30 jours
library-expires-year = Dans 1 an
library-expires-date = À une date et une heure
library-date-and-time = Date et heure <span class="hint">(UTC)</span>
library-optional-name = Nom <span class="hint">(facultatif)</span>
library-name-example = par exemple Presse
library-allow-downloads = Autoriser les téléchargements
library-create-link = Créer le lien
library-name-too-long = Saisissez un nom de 200 caractères au maximum.
library-choose-variant = Choisissez une variante dans la liste.
library-enter-date = Saisissez une date et une heure valides.
library-enter-future = Saisissez une date et une heure futures.
library-links-of-track = Liens de cette piste
library-links-of-collection = Liens de cette collection
library-link-downloads = Téléchargements
library-link-expired = Expiré
library-link-expired-at = Expiration : <time datetime="{ $at }">{ $at }</time>
library-link-expires-at = Expiration : <time datetime="{ $at }">{ $at }</time>
library-link-does-not-expire = N’expire pas
library-link-last-used = dernière utilisation : <time datetime="{ $at }">{ $at }</time>
library-link-never-used = jamais utilisé
library-link-shown-once = Ce lien n’a été affiché qu’une fois, lors de sa création. Pour partager à nouveau, créez un autre lien.
library-link-copy = Copier<span class="hidden"> le lien de { $title }</span>
library-link-embed = Intégrer<span class="hidden"> { $title }</span>
library-link-revoke-one = Révoquer<span class="hidden"> { $title }</span>
library-link-confirm-revoke = Révoquer « { $title } » ? Les lecteurs qui l’utilisent cesseront de fonctionner. Cette action est irréversible.
library-link-revoke = Révoquer
library-older-links = Liens plus anciens

## First steps

library-get-started = Premiers pas
library-skip = Passer
library-step-name = Nommer
library-step-add = Ajouter une piste
library-step-embed = Intégrer
library-start-question = Que publiez-vous ?
library-start-question-hint = Une collection regroupe des pistes : un album, une émission ou un cours, par exemple. Vous pourrez changer son nom plus tard.
library-organization = Organisation
library-first-collection = Première collection
library-first-collection-example = Mon podcast
library-continue = Continuer
library-start-failed = { $file } : { $reason } Choisissez un autre fichier.
library-progress = Progression du traitement
library-processed = Le traitement est terminé. Rechargez cette page.
library-reload-for-progress = Rechargez cette page pour voir la progression.
library-add-to = Ajouter une piste à { $title }
library-drop-file = Déposez un fichier audio ici ou choisissez-en un.
library-start-import = Votre audio est déjà sur le web ? <a href="{ $base }/collections/{ $collection }">Importez-le depuis une URL</a>.
library-online = Votre piste est en ligne
library-share-page = Page de partage
library-go-to-library = Aller à la bibliothèque
library-track-is-ready = { $title } : la piste est prête
library-track-is-ready-hint = Lancez la lecture pour écouter. Créez ensuite le code qui affiche ce lecteur sur votre propre page.
library-create-code = Créer le code d’intégration
library-link-revocable = Toute personne disposant du lien peut écouter. Vous pouvez le révoquer sous « Clés et liens ».
library-start-no-variant = Cette organisation n’a aucune variante que les lecteurs peuvent lire.
library-set-cover = Définir la pochette…
library-set-cover-count = { $count ->
    [one] Définir la pochette de { $count } piste
   *[other] Définir la pochette de { $count } pistes
}
library-set-cover-hint = Chacune des pistes reçoit cette pochette à la place de la sienne. Vous pouvez annuler pendant une heure.
library-image = Image
library-image-hint = Recadrée en carré.
library-set-cover-button = Définir la pochette
