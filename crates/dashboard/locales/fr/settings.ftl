# What is decided about an organization: its appearance, members, variants and transcription.

## The organization

organization-hint = Ce que les lecteurs affichent pour { $name }, sauf si une collection ou une piste en décide autrement.
organization-appearance = Apparence
organization-subtitle-hint = Affiché sous le titre des pistes qui n’ont pas leur propre sous-titre.
organization-colour-hint = Les lecteurs utilisent une nuance lisible sur leur fond.
organization-covers = Autoriser les pochettes personnalisées
organization-colours = Autoriser les couleurs personnalisées
organization-cover-hint = JPEG, PNG, WebP ou GIF, { $megabytes } Mo au maximum. Recadrée au format carré.
organization-cover-colours = Couleurs de la pochette
organization-id = ID de l’organisation
organization-id-hint = Identifie cette organisation dans l’API et en ligne de commande.

## Members

members-roles = Les observateurs peuvent consulter et écouter. Les éditeurs peuvent aussi modifier la bibliothèque et les liens de partage. Les propriétaires peuvent tout modifier.
members-invitation-created = Invitation créée
members-invitation-hint = Copiez ce lien maintenant et envoyez-le au nouveau membre. Il n’est affiché qu’une fois, ne fonctionne qu’une fois et reste valable jusqu’au <time data-exact datetime="{ $at }">{ $at }</time>.
members-role = Rôle
members-joined = Arrivée
members-role-of = Rôle de { $name }
members-change-role = Changer le rôle<span class="hidden"> de { $name }</span>
members-confirm-leave = Quitter cette organisation ?
members-confirm-remove = Retirer { $name } de cette organisation ?
members-leave = Quitter
members-remove = Retirer
members-remove-one = Retirer<span class="hidden"> { $name }</span>
members-invite = Inviter un membre
members-email = Adresse e-mail
members-email-hint = Aucun e-mail n’est envoyé : vous transmettez le lien vous-même. Avec l’authentification unique (SSO), la personne qui se connecte avec cette adresse rejoint l’organisation même sans le lien.
members-create-invitation = Créer l’invitation
members-pending = Invitations en attente
members-none-pending = Aucune invitation en attente.
members-pending-hint = Les invitations prennent fin quand la personne qui les a créées n’est plus propriétaire. Si un membre part, retirez celles sans adresse qu’il peut avoir.
members-valid-until = Valable jusqu’au <time data-exact datetime="{ $at }">{ $at }</time>
members-withdraw-one = Annuler<span class="hidden"> l’invitation pour { $person }</span>
members-anyone = Toute personne disposant du lien

## Variants

variants-hint = Fichiers créés à partir de chaque piste envoyée. Les lecteurs et les clés désignent une variante par son nom.
variants-existing = Pistes existantes
variants-done = Terminé
variants-rendering = Rendu de { $variant }
variants-tracks-done = { $done } pistes traitées sur { $total }
variants-making = { $count ->
    [one] { $count } piste à { $percent } %
   *[other] { $count } pistes à { $percent } % en moyenne
}
variants-failed = { $count ->
    [one] { $count } échec
   *[other] { $count } échecs
}
variants-confirm-render = Créer « { $variant } » pour toutes les pistes qui ne l’ont pas ? Les grandes bibliothèques prennent du temps. Les pistes restent lisibles.
variants-render-one = Créer pour les pistes existantes<span class="hidden"> : { $variant }</span>
variants-confirm-remove = Supprimer « { $variant } » et tous ses fichiers ? Les liens et les lecteurs qui l’utilisent cessent immédiatement de fonctionner. Les fichiers sont effacés en arrière-plan.
variants-being-removed = Suppression en cours
variants-left = { $count ->
    [one] { $count } fichier restant
   *[other] { $count } fichiers restants
}
variants-more-left = plus de { $count } fichiers restants
variants-new = Nouvelle variante
variants-name-example = par exemple mobile
variants-audio = Audio
variants-bitrate = Débit binaire <span class="hint">(kbit/s)</span>
variants-loudness = Intensité sonore <span class="hint">(LUFS, facultatif)</span>
variants-loudness-example = par exemple -16
variants-mono = Mixer en mono
variants-length = Durée <span class="hint">(secondes)</span>
variants-start = Début <span class="hint">(% de la piste)</span>
variants-samples = Nombre de niveaux
variants-metric = Mesure
variants-peak = Crête
variants-rms = RMS
variants-public = Autoriser les CDN à mettre ses fichiers en cache
variants-add = Ajouter la variante
variants-transcode = Transcodage
variants-preview = Extrait
variants-levels = Données de forme d’onde
variants-waveform-image = Image de la forme d’onde
variants-waveform-video = Vidéo de la forme d’onde
variants-original = Original
variants-whole-track = Transcodage (piste entière)
variants-part-of-track = Extrait (partie de la piste)
variants-waveform-data = Données de forme d’onde (niveaux)
variants-uploaded-file = Original (fichier envoyé)
variants-lossless = { $codec } (sans perte)
variants-part = { $sound }, partie de la piste
variants-peak-levels = { $count } niveaux de crête
variants-rms-levels = { $count } niveaux RMS
variants-cached = mis en cache par les CDN
variants-bad-name = Utilisez de 2 à 64 caractères : a-z, 0-9, _ ou -
variants-no-number = Saisissez un nombre.
variants-choose-type = Choisissez un type dans la liste.

## Transcription

transcription-on = Activée
transcription-off = Désactivée
transcription-turn-on = Activer la transcription
transcription-turn-off = Désactiver la transcription
transcription-hint = Lorsqu’une nouvelle piste est prête, son audio est envoyé à un fournisseur de votre choix et transcrit.
transcription-provider = Fournisseur
transcription-url-hint = Tout service doté d’un point de terminaison <code>/audio/transcriptions</code> compatible avec OpenAI.
transcription-model = Modèle
transcription-model-example = par exemple whisper-1
transcription-language = Langue <span class="hint">(facultatif)</span>
transcription-detected = Détectée automatiquement
transcription-language-hint = Un code de langue comme de ou pt-BR.
transcription-key = Clé d’API
transcription-keep-key = Laissez vide pour conserver la clé actuelle
transcription-no-key = Aucune
transcription-key-hint = Enregistrée chiffrée et jamais réaffichée. Si vous modifiez l’URL, saisissez à nouveau la clé.
transcription-remove-key = Supprimer la clé d’API
transcription-save-on = Enregistrer et activer
transcription-test = Test
transcription-test-hint = Envoie un son d’une seconde au fournisseur, avec les paramètres enregistrés. Cela peut prendre jusqu’à 30 secondes.
transcription-test-button = Tester le fournisseur
transcription-silent = Le fournisseur fonctionne : il a répondu en { $seconds } s et, comme prévu, n’a détecté aucune parole dans le son de test.
transcription-heard = Le fournisseur fonctionne : il a répondu en { $seconds } s et a transcrit le son de test par « { $words } ».
transcription-test-failed = Le test a échoué : { $reason }
transcription-failures = Échecs récents
transcription-reason = Raison
transcription-retried = Nouvel essai prévu
transcription-failed = Échec
