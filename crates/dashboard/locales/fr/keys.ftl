# API keys, share links, and the keys that sign URLs.

## All keys

keys-new = Nouvelle clé
keys-explanation = Les clés ne sont affichées qu’une fois, lors de leur création. Les liens de partage peuvent être copiés à nouveau.
keys-explanation-reference = La <a href="/docs" target="_blank" rel="noopener">référence de l’API</a> (en anglais) donne une commande pour chaque requête.
keys-explanation-signing = Pour signer des URL dans votre propre backend, utilisez des <a href="{ $base }/signing-keys">clés de signature</a>.
keys-explanation-sessions = Avec les clés, les lecteurs et les outils d’envoi ouvrent des <a href="{ $base }/sessions">sessions</a>.
keys-valid = Valide
keys-expired = Expirée
keys-revoked = Révoquée
keys-search = Rechercher des clés par nom
keys-search-hint = Rechercher par nom
keys-all-types = Tous les types
keys-none-found = Aucune clé trouvée
keys-no-valid-match = Aucune clé valide ne correspond.
keys-no-expired-match = Aucune clé expirée ne correspond.
keys-no-revoked-match = Aucune clé révoquée ne correspond.
keys-show-valid = Afficher toutes les clés valides
keys-none = Aucune clé pour l’instant
keys-none-hint = Les liens de partage permettent à tout le monde d’écouter. Les autres clés sont destinées aux programmes qui gèrent, lisent ou envoient des pistes.
keys-create = Créer la clé
keys-list = Clés
keys-access = Accès
keys-allows = Autorise
keys-last-used = Dernière utilisation
keys-never = Jamais
keys-until = jusqu’au <time data-exact datetime="{ $at }">{ $at }</time>
keys-edit-one = Modifier<span class="hidden"> { $title }</span>
keys-confirm-revoke = Révoquer « { $title } » ? Tout ce qui l’utilise cessera de fonctionner. Cette action est irréversible.
keys-revoke-one = Révoquer<span class="hidden"> { $title }</span>
keys-confirm-revoke-made = Révoquer « { $title } » et tout ce qu’elle a créé ({ $count }) ? Ces clés, clés de signature et webhooks cesseront de fonctionner. Cette action est irréversible.
keys-revoke-made = Révoquer avec ce qu’elle a créé ({ $count })<span class="hidden"> { $title }</span>

## Sessions

keys-sessions = Sessions
keys-sessions-play = Sessions de lecture
keys-sessions-upload = Sessions d’envoi
keys-sessions-hint = Les sessions valides en ce moment. Elles se terminent à leur expiration ou à la révocation de leur clé.
keys-sessions-none = Aucune session valide
keys-sessions-index = ID externe
keys-sessions-key = Clé
keys-sessions-until = Valide jusqu’au
keys-sessions-confirm = Terminer cette session ? Son lecteur ou son outil d’envoi cesse de fonctionner dans les deux secondes ; les URL signées restent valides jusqu’à leur expiration.
keys-sessions-end = Terminer<span class="hidden"> la session de { $title }</span>

## What a key is

keys-type-api = API
keys-type-player = Lecteur
keys-type-uploader = Envoi
keys-type-share = Lien de partage
keys-whole-organization = Organisation entière
keys-allows-nothing = aucune variante
keys-allows-downloads = téléchargements
keys-allows-origin = pages de { $origin }
keys-allows-origins = pages de { $count } origines

## A new key

keys-type = Type de clé
keys-in = dans { $title }
keys-change-selection = Modifier la sélection
keys-reach = L’organisation entière, sauf si vous choisissez une collection ou une piste.
keys-reach-search = Rechercher des collections et des pistes
keys-reach-nothing = Aucune collection ni aucune piste ne correspond à tous les mots recherchés.
keys-explain-api = Pour vos propres serveurs. Autorise tout dans les limites de son accès. Ne l’utilisez jamais dans un navigateur.
keys-explain-player = Pour créer des sessions d’écoute, par exemple depuis votre backend. N’autorise rien d’autre.
keys-explain-uploader = Pour créer des sessions d’envoi. N’autorise rien d’autre.
keys-variants = Variantes dans les sessions d’écoute
keys-variants-all = Toutes les variantes, y compris les futures
keys-variants-only = Seulement celles-ci :
keys-downloads = Autoriser les téléchargements dans les sessions d’écoute
keys-expires = Expire le <span class="hint">(UTC, facultatif)</span>
keys-choose-collection = Choisissez une collection valide.
keys-choose-track = Choisissez une piste valide.
keys-one-variant = Choisissez exactement une variante.
keys-all-and-some = Choisissez « Seulement celles-ci » ou décochez les variantes.
keys-no-variant = Cochez au moins une variante ou choisissez « Toutes les variantes ».
keys-no-origin = Saisissez au moins une origine ou choisissez « Tous les sites web ».
keys-not-an-origin = « { $line } » n’est pas une origine ; saisissez-en une comme https://www.example.com
keys-some-origins = Choisissez « Seulement ceux-ci » ou videz la liste.
keys-origin-list = la liste { $problem }
keys-list-of-origins = la liste des origines { $problem }

## The page that shows a key once

keys-created = Clé créée
keys-created-hint = Copiez-la maintenant. Elle n’est affichée qu’une fois, car seule une empreinte est enregistrée.
keys-link-created = Lien de partage créé
keys-link-created-hint = Les liens de partage d’une piste ou d’une collection peuvent être copiés à nouveau depuis sa page.
keys-key = Clé
keys-done = Terminé
keys-embed-code = Code d’intégration du lecteur
keys-stream-template = URL du flux audio : remplacez TRACK_ID par l’ID d’une piste
keys-use = L’utiliser
keys-use-hint = Ces exemples contiennent la clé. Remplacez ce qui est en MAJUSCULES.
keys-copy-one = Copier<span class="hidden"> { $title }</span>
keys-lists-tracks = Liste les pistes.
keys-server-only = Pour votre serveur : n’envoyez jamais cette clé à un navigateur.
keys-opens-session = Crée une session d’écoute.
keys-gets-urls = Crée une session d’écoute et obtient les URL de sa première piste.
keys-play-page = Une page qui lit la première piste. Les visiteurs peuvent y lire la clé : limitez-la à votre site web.
keys-uploads-file = Envoie un fichier.
keys-uploads-chosen = Envoie un fichier que quelqu’un a choisi.
keys-upload-page = Une page pour envoyer des fichiers. Les visiteurs peuvent y lire la clé : limitez-la à votre site web.

## One key

keys-edit = Modifier la clé
keys-created-at = créée le <time data-exact datetime="{ $at }">{ $at }</time>
keys-last-used-at = dernière utilisation : <time datetime="{ $at }">{ $at }</time>
keys-never-used = jamais utilisée
keys-is-revoked = Cette clé est révoquée et ne peut pas être modifiée. Créez-en une autre.
keys-back = Retour aux clés
keys-expiry-hint = Laissez vide pour une clé qui n’expire pas. Les modifications prennent effet dans les deux secondes.

## Signing keys

keys-signing = Clés de signature
keys-signing-hint = Signez des URL de fichiers dans votre propre backend, sans requête à ce service.
keys-signing-created = Clé de signature créée
keys-signing-created-hint = Copiez le secret maintenant. Il n’est affiché qu’une fois. Conservez-le comme un mot de passe et ne l’envoyez jamais à un navigateur.
keys-signing-id = ID (paramètre <code>kid</code>)
keys-signing-secret = Secret
keys-signing-none = Aucune clé de signature pour l’instant
keys-signing-none-hint = Il ne vous en faut une que pour signer vous-même des URL. Les sessions d’écoute et les liens de partage contiennent déjà des URL signées.
keys-signing-when = Création
keys-signing-confirm-revoke = Révoquer « { $title } » ? Les URL signées avec cette clé cesseront de fonctionner.
keys-signing-new = Nouvelle clé de signature
keys-signing-create = Créer la clé de signature
