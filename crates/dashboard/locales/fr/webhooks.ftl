# Webhooks: endpoints, and what was sent to them.

## Endpoints

webhooks-hint = Des événements JSON signés, renvoyés jusqu’à ce que votre serveur les accepte.
webhooks-tracks = Pistes
webhooks-files = Fichiers
webhooks-collections = Collections
webhooks-tracks-hint = Envoyé lorsqu’une piste est prête, incomplète ou en échec.
webhooks-files-hint = Envoyé pour chaque fichier d’une piste qui est créé ou échoue.
webhooks-collections-hint = Envoyé lorsqu’une collection est créée, modifiée ou supprimée.
webhooks-secret-of-tracks = Secret du point de terminaison des pistes
webhooks-secret-of-files = Secret du point de terminaison des fichiers
webhooks-secret-of-collections = Secret du point de terminaison des collections
webhooks-secret-hint = Utilisez-le pour vérifier les signatures. Conservez-le comme un mot de passe.
webhooks-on = Activé
webhooks-paused = En pause
webhooks-failed-in-a-row = { $count ->
    [one] { $count } échec d’affilée
   *[other] { $count } échecs d’affilée
}
webhooks-paused-until = En pause jusqu’au <time data-exact datetime="{ $at }">{ $at }</time> après { $count } échecs d’affilée.
webhooks-old-secret = Les événements sont aussi signés avec l’ancien secret jusqu’au <time data-exact datetime="{ $at }">{ $at }</time>.
webhooks-save = Enregistrer le point de terminaison
webhooks-send-test = Envoyer un événement de test
webhooks-show-secret = Afficher le secret
webhooks-confirm-rotate = Créer un nouveau secret ? Les événements sont signés avec les deux secrets pendant un jour, afin que vous puissiez mettre à jour votre serveur.
webhooks-rotate = Renouveler le secret
webhooks-redeliver-failed = Livrer à nouveau les événements en échec
webhooks-confirm-remove = Supprimer ce point de terminaison ? Ses livraisons en attente sont abandonnées.
webhooks-remove = Supprimer le point de terminaison

## Deliveries

webhooks-recent = Livraisons récentes
webhooks-delivery-status = État de la livraison
webhooks-all = Toutes
webhooks-pending = En attente
webhooks-delivered = Livrée
webhooks-failed = Échec
webhooks-retrying = Nouvel essai
webhooks-none = Aucune livraison.
webhooks-event = Événement
webhooks-created = Création
webhooks-attempts = Tentatives
webhooks-next-attempt = Prochaine tentative
webhooks-newest = Les plus récentes
webhooks-redeliver = Livrer à nouveau l’événement
webhooks-queued-at = Mise en file d’attente : <time datetime="{ $at }">{ $at }</time>.
webhooks-next-attempt-at = Prochaine tentative : <time datetime="{ $at }">{ $at }</time>.
webhooks-id = ID : <code>{ $id }</code>
webhooks-payload = Contenu
webhooks-cut = … { $count } octets au total
webhooks-no-attempts = Aucune tentative pour l’instant.
webhooks-hidden-attempts = Les 8 dernières tentatives sont affichées. Tentatives précédentes non affichées : { $count }.
webhooks-attempt = Tentative { $number }
webhooks-no-response = Aucune réponse
webhooks-response = Réponse
