# The page of a track: its player, its files, its tags, its transcript and how it is listened to.

## Status

track-status-importing = Importation
track-status-waiting = En attente d’envoi
track-status-queued = En file d’attente
track-status-processing = Traitement
track-status-processing-again = Nouveau traitement
track-status-ready = Prête
track-status-incomplete = Incomplète
track-status-failed = Échec
track-truncated = Tronquée
track-truncated-hint = Le fichier contient moins d’audio qu’il ne l’annonce. L’audio disponible a été traité.
track-retry = Relancer le traitement
track-retry-hint = Crée les fichiers manquants et conserve les existants.
track-processed = Le traitement est terminé. Enregistrez vos modifications ou rechargez cette page.
track-reload-for-status = Rechargez cette page pour voir l’état actuel.

## Files

track-variants = Variantes
track-variant-type = Type
track-variant-download = Téléchargement
track-try-again = Réessayer
track-try-again-one = Réessayer : { $variant }
track-source = Fichier source
track-download-original = Télécharger l’original
track-replacement-processing = Un nouveau fichier est en cours de traitement. D’ici là, la piste conserve son fichier actuel.
track-replacement-completed = Le fichier a été remplacé. Le précédent est conservé pendant un jour.
track-replacement-completed-from = Le fichier a été remplacé. Le précédent, « { $name } », est conservé pendant un jour.
track-replacement-failed = Le fichier n’a pas été remplacé.
track-replacement-failed-because = Le fichier n’a pas été remplacé : { $reason }
track-undo-failed-because = Le fichier précédent n’a pas pu être rétabli : { $reason }
track-replacement-waiting = Un nouveau fichier est attendu : son envoi a commencé sans être terminé.
track-cancel-replacement = Annuler le remplacement
track-undo-replacement = Rétablir le fichier précédent
track-if-empty = Si ce champ est vide : { $text }
track-replace = Remplacer le fichier
track-replace-hint = La piste, ses liens et ses paramètres sont conservés. Les auditeurs entendent le fichier actuel jusqu’à ce que le nouveau soit prêt.
track-upload-progress = Progression de l’envoi

## Details

track-details = Détails de la piste
track-subtitle = Sous-titre
track-own-id = Votre propre ID
track-reset-cover = Réinitialiser la pochette
track-reset-cover-hint = Utilise l’image du fichier ou une pochette générée.
track-deletes = Supprime la piste et ses fichiers. Ses liens cessent de fonctionner. Vous pouvez la restaurer pendant un temps limité.
track-confirm-delete = Supprimer cette piste ?
track-delete = Supprimer la piste

## What is known of the sound

track-duration = Durée
track-container = Conteneur
track-codec = Codec
track-sample-rate = Fréquence d’échantillonnage
track-channels = Canaux
track-channels-mono = 1 (mono)
track-channels-stereo = 2 (stéréo)
track-bit-depth = Profondeur de bits
track-bit-rate = Débit binaire
track-size = Taille
track-loudness = Intensité sonore
track-true-peak = Crête vraie

## Tags of the file

track-file-tags = Tags du fichier
track-tag-title = Titre
track-tag-artist = Artiste
track-tag-album = Album
track-tag-album-artist = Artiste de l’album
track-tag-track = Numéro de piste
track-tag-disc = Disque
track-tag-place = { $number } sur { $total }
track-tag-composer = Compositeur
track-tag-genre = Genre
track-tag-year = Année
track-tag-publisher = Éditeur
track-tag-language = Langue
track-tag-comment = Commentaire
track-chapters = Chapitres ({ $count })
track-chapter = Chapitre { $number }
track-lyrics = Paroles

## Transcript

track-transcript = Transcription
track-transcript-edit = Modifier
track-transcript-add = Ajouter une transcription
track-no-transcript = Aucune transcription pour l’instant.
track-transcribing = L’audio est en cours de transcription. La transcription apparaîtra une fois terminée.
track-transcription-retried = La dernière tentative de transcription de cette piste a échoué. Elle sera relancée automatiquement.
track-transcription-retried-because = La dernière tentative de transcription de cette piste a échoué : { $reason } Elle sera relancée automatiquement.
track-transcription-failed = La transcription a échoué.
track-transcription-failed-because = La transcription a échoué : { $reason }
track-transcript-download = Télécharger en WebVTT
track-transcript-edited = Modification : <time datetime="{ $at }">{ $at }</time>. La transcription automatique ne la remplace pas.
track-captions = Transcription (WebVTT)
track-captions-hint = WebVTT : chaque repère (cue) commence par ses temps, par exemple <code>00:00:01.000 --&gt; 00:00:04.000</code>, suivis de ses mots et d’une ligne vide. Les commentaires, les styles et le balisage ne sont pas conservés. Sans repères, la piste n’a pas de transcription.
track-captions-left-out = Enregistré. Ces parties du texte ne sont pas conservées, car une transcription ne contient que des mots et des temps :
track-captions-line = Ligne { $line } :
track-captions-more =
    { $count ->
    [one] et { $count } autre ligne
   *[other] et { $count } autres lignes
}
track-captions-language = Langue <span class="hint">(par exemple en ou pt-BR, facultatif)</span>
track-captions-file = Fichier WebVTT <span class="hint">(remplace le texte ci-dessus, facultatif)</span>
track-save-transcript = Enregistrer la transcription
track-transcribe = Transcrire à nouveau
track-transcribe-hint = Envoie l’audio à votre fournisseur de transcription. Le résultat remplace cette transcription.
track-transcribe-hint-edited = Envoie l’audio à votre fournisseur de transcription. Le résultat remplace cette transcription et ses modifications.
track-confirm-transcribe = Remplacer cette transcription ?
track-confirm-transcribe-edited = Remplacer cette transcription et ses modifications ?

## Usage

track-usage = Utilisation ces 30 derniers jours
track-listens = Écoutes
track-heard = Temps d’écoute
track-delivered = Données livrées
track-by-day = Par jour
track-usage-by-day = Utilisation par jour
track-day = Jour
track-drop-off = Abandons
