# What people change of themselves.

profile-title = Votre profil
profile-name = Nom
profile-you-sign-in-with = Vous vous connectez avec { $email }.
profile-save-name = Enregistrer le nom
profile-language = Langue
profile-language-browser = Celle du navigateur
profile-save-language = Enregistrer la langue
profile-password = Mot de passe
profile-current-password = Mot de passe actuel
profile-new-password = Nouveau mot de passe
profile-password-hint = Au moins 10 caractères. Vos autres navigateurs sont déconnectés, et les liens inutilisés que vous avez créés prennent fin, ainsi que vos envois et vos importations.
profile-change-password = Changer le mot de passe
profile-wrong-password = ce mot de passe est incorrect
profile-second-factor = Authentification à deux facteurs
profile-on = Activée
profile-off = Désactivée
profile-factor-on = La connexion demande un code de votre application d’authentification.
profile-codes-left = { $count ->
    [one] Il reste { $count } code de récupération sur 10.
   *[other] Il reste { $count } codes de récupération sur 10.
}
profile-factor-off = Protégez votre compte avec des codes d’une application d’authentification.
profile-manage = Gérer
profile-set-up = Configurer
profile-set-up-title = Configuration
profile-sessions = Sessions actives
profile-browser = Navigateur
profile-address = Adresse IP
profile-last-active = Dernière activité
profile-actions = Actions
profile-this = Actuelle
profile-sign-out = Déconnecter
profile-sign-out-everywhere = Se déconnecter partout
profile-sign-out-links = Les liens inutilisés que vous avez créés prennent fin aussi : invitations et liens de mot de passe. Vos envois et vos importations prennent fin aussi.
profile-organizations = Vos organisations
profile-no-organization = Vous n’appartenez encore à aucune organisation. Demandez une invitation à un propriétaire.
profile-new-organization = Nouvelle organisation
profile-create-organization = Créer l’organisation
profile-browser-on = { $browser } sous { $system }
profile-unknown-browser = Navigateur inconnu
profile-factor-explanation = Après le mot de passe, la connexion demande un code d’une application d’authentification.
profile-your-codes = Vos codes de récupération
profile-your-codes-explanation = Enregistrez-les maintenant : ils ne sont affichés qu’une fois. Chacun permet de se connecter une fois si vous perdez votre appareil.
profile-recovery-codes = Codes de récupération
profile-copy = Copier
profile-done = Terminé
profile-on-since = Activée depuis le <time data-exact datetime="{ $time }">{ $time }</time>.
profile-code = Code
profile-new-codes-hint = Les nouveaux codes remplacent les précédents.
profile-new-codes = Créer de nouveaux codes de récupération
profile-turn-off = Désactiver
profile-removing-hint = Un code de votre application ou un code de récupération.
profile-scan = Scannez le code
profile-scan-explanation = Scannez-le avec une application d’authentification sur votre téléphone, puis saisissez les six chiffres qu’elle affiche.
profile-qr = Code QR pour votre application d’authentification
profile-no-camera = Pas d’appareil photo ? Saisissez cette clé dans l’application : <code id="secret">{ $key }</code>
profile-turn-on = Activer
profile-cancel = Annuler
profile-continue = Continuer
profile-organization-name = le nom { $problem }
profile-no-password = Vous n’avez pas de mot de passe. Pour en choisir un, demandez un lien à un administrateur.
profile-identities = Comptes liés
profile-identities-explanation = Vous pouvez vous connecter avec un compte chez { $provider } lié ici.
profile-provider = Fournisseur
profile-account = Compte
profile-last-used = Dernière utilisation
profile-unlink = Délier
profile-unlink-explanation = Délier un compte déconnecte vos autres navigateurs.
profile-still-linked = Vous pouvez toujours vous connecter avec ces comptes liés : { $accounts }. Déliez ceux qui ne sont pas les vôtres.
profile-unlink-too = Délier aussi tous les comptes
profile-link-account = Lier un compte chez { $provider }
profile-leaving = Vous allez être dirigé vers { $provider }. S’il ne se passe rien, utilisez le bouton.
