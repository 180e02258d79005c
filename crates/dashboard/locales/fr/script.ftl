# Texts of scripts. Plural forms are attributes, named as by Intl.PluralRules; there are no selections.

# Questions, copying and forms.

script-cancel = Annuler
script-close = Fermer
script-yes = Oui
script-undo = Annuler la modification
script-try-again = Réessayer
script-copy-done = Copié
script-copy-failed = Échec de la copie
script-copy-keys = Appuyez sur Ctrl+C
script-form-problems = Rien n’a été enregistré. Corrigez le formulaire et envoyez-le à nouveau :
script-form-unanswered = Corrigez le formulaire et envoyez-le à nouveau :
script-form-problem = { $field } : { $problem }
script-draft-signed-out = Votre session avait expiré avant l’enregistrement de ce formulaire.
script-draft-refused = Ce formulaire n’a pas été enregistré.
script-draft-back = Votre saisie est rétablie. Vérifiez-la et enregistrez-la à nouveau.
script-draft-file = Choisissez à nouveau le fichier.
script-draft-kept = Votre saisie est conservée dans cet onglet.
script-draft-after-sign-in = Vous la retrouverez après vous être reconnecté.
script-draft-go-back = Revenir au formulaire.

# Signing in again.

script-signed-out = Votre session a expiré. Reconnectez-vous pour continuer : cette page reste telle quelle.
script-signed-out-link = Se connecter dans un nouvel onglet
script-signed-out-other = Une autre personne est maintenant connectée dans ce navigateur. Pour continuer ici, déconnectez-la, puis reconnectez-vous.

# Covers.

script-crop-preview = Aperçu de la pochette recadrée
script-crop-across = Position horizontale
script-crop-down = Position verticale
script-crop-zoom = Zoom

# Uploads, and how far tracks are.

script-upload-left-out =
    .one = « { $names } » n’est pas un fichier audio et a été ignoré.
    .other = { $count } fichiers ne sont pas des fichiers audio et ont été ignorés : { $names }.
script-upload-interrupted =
    .one = L’envoi de « { $name } » a été interrompu. Ajoutez à nouveau le même fichier pour le reprendre.
    .other = L’envoi de { $count } fichiers a été interrompu. Ajoutez à nouveau les mêmes fichiers pour le reprendre.
script-upload-of = Envoi de { $name }
script-upload-pause = Mettre en pause
script-upload-pause-name = Mettre en pause { $name }
script-upload-resume = Reprendre
script-upload-resume-name = Reprendre { $name }
script-upload-try-again-name = Réessayer { $name }
script-upload-cancel-name = Annuler { $name }
script-upload-waiting = En attente
script-uploading = Envoi en cours
script-uploading-percent = Envoi en cours : { $percent } %
script-upload-paused = En pause
script-upload-cancelled = Annulé
script-processing = Traitement en cours
script-upload-empty = Ce fichier est vide. Choisissez-en un autre.
script-upload-not-started = L’envoi n’a pas pu commencer. Réessayez.
script-upload-disconnected = Connexion perdue. Nouvelle tentative…
script-upload-unavailable = Le service n’est pas disponible. Nouvelle tentative…
script-upload-file-gone = Le fichier ne peut pas être lu. Il a peut-être été modifié, déplacé ou supprimé, ou c’est un dossier. Retirez-le ici et ajoutez-le à nouveau.
script-upload-expired = Cet envoi a expiré. Supprimez-le et ajoutez à nouveau le fichier.
script-upload-rejected = Le serveur a refusé l’envoi.
script-upload-rejected-again = Le serveur a refusé l’envoi. Supprimez-le et ajoutez à nouveau le fichier.
script-upload-unreadable = Le fichier n’est pas arrivé intact : il est vide ou a été endommagé en route. Vérifiez-le et envoyez-le à nouveau.
script-upload-quota = Le quota de l’organisation est épuisé. Supprimez des pistes ou demandez à l’exploitant d’augmenter le quota.
script-upload-too-large = Le fichier est plus volumineux que ce service ne l’autorise.
script-upload-used = Cet envoi est déjà terminé. Ajoutez à nouveau le fichier pour l’envoyer encore une fois.
script-upload-speed = { $speed } Mo/s · { $left }
script-left-moment = presque terminé
script-left-seconds = encore { $seconds } s
script-left-minutes = encore { $minutes } min
script-left-hours = encore { $hours } h { $minutes } min
script-progress = { $status } : { $percent } %
script-file-waiting = { $file } en attente
script-file-running = { $file } { $percent } %
script-file-made = { $file } terminé
script-file-failed = { $file } en échec

# Lists of tracks.

script-selected =
    .one = { $count } sélectionnée
    .other = { $count } sélectionnées
script-selected-elsewhere =
    .one = { $count } sélectionnée, hors de cette page
    .other = { $count } sélectionnées, dont { $elsewhere } hors de cette page
script-selected-too-many = { $count } sélectionnées. Vous pouvez modifier au plus { $most } pistes à la fois.
script-order-saved = Ordre enregistré.
script-order-not-saved = L’ordre n’a pas pu être enregistré. Vérifiez la connexion et réessayez.
script-row = La ligne
script-row-taken = { $name } : saisi à la position { $at } sur { $count }. Déplacez avec les flèches, déposez avec Espace, annulez avec Échap.
script-row-moved = { $name }, position { $at } sur { $count }.
script-row-dropped = { $name } : déposé à la position { $at } sur { $count }.
script-row-back = Annulé. { $name } est de nouveau à la position { $at } sur { $count }.
script-play-track = Lire { $title }
script-pause-track = Mettre en pause { $title }
script-more-for-track = Plus d’actions pour { $title }
script-reorder-track = Déplacer { $title }
script-play-next = Lire ensuite
script-add-to-queue = Ajouter à la file d’attente
script-share-track = Partager

# The player bar and its queue.

script-bar = Lecteur
script-bar-page = Page
script-bar-play = Lire
script-bar-pause = Mettre en pause
script-bar-previous = Piste précédente
script-bar-next = Piste suivante
script-bar-back = Reculer de 10 secondes
script-bar-forward = Avancer de 10 secondes
script-bar-position = Position
script-bar-time = { $position } sur { $duration }
script-bar-mute = Couper le son
script-bar-unmute = Rétablir le son
script-bar-volume = Volume
script-bar-close = Fermer le lecteur
script-bar-skipped = Lecture de la piste suivante.
script-queue = File d’attente
script-queue-clear = Vider la file d’attente
script-queue-remove = Retirer { $title } de la file d’attente
script-queue-next = { $title } sera la prochaine piste.
script-queue-added = { $title } a été ajouté à la file d’attente.
script-queue-full = La file d’attente est pleine. Retirez-en d’abord des pistes.

# Keyboard shortcuts.

script-shortcuts = Raccourcis clavier
script-shortcuts-use = Utiliser les raccourcis clavier
script-shortcuts-show = Afficher les raccourcis clavier
script-shortcuts-search = Rechercher
script-shortcuts-toggle = Lire ou mettre en pause
script-space-key = Espace
