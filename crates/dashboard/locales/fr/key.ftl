# Donner un nouveau secret à une clé.

key-rotate = Renouveler le secret
key-rotate-about = La clé reçoit un nouveau secret et garde tout le reste. L’ancien secret reste valable quelque temps, afin que vous puissiez le remplacer partout.
key-overlap = L’ancien secret cesse d’être valable
key-overlap-none = Immédiatement
key-overlap-hours = { $count ->
    [one] Dans { $count } heure
   *[other] Dans { $count } heures
}
key-overlap-days = { $count ->
    [one] Dans { $count } jour
   *[other] Dans { $count } jours
}
key-rotate-button = Renouveler le secret
key-rotated = Secret renouvelé
key-shown-once = Copiez-le maintenant. Il n’est affiché qu’une fois, car seule une empreinte est enregistrée.
key-back = Clés et liens
key-old-until = L’ancien secret est valable jusqu’au
key-old-ended = L’ancien secret n’est plus valable.
key-end-old = Mettre fin à l’ancien secret
key-end-old-confirm = Mettre fin à l’ancien secret ? Tout ce qui l’utilise encore cessera de fonctionner, et toutes les sessions et tous les envois inachevés de la clé prendront fin. Cette action est irréversible.
