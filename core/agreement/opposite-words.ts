/**
 * Words that exclude each other. Each line is one axis: `|` separates its poles, spaces separate the words of a pole. A
 * word may have any form that `stemOf` reduces; `~` joins two words of a phrase.
 */

const lines = `
enable activate activation turn~on switch~on | disable deactivate deactivation turn~off switch~off turn~out
on~off | off~on
add insert append | remove delete subtract drop erase
create make build | delete destroy demolish
install setup | uninstall
open opening reopen | close closing closed shut
start begin launch beginning boot | stop end finish terminate halt quit ending
increase raise grow growth gain expand enlarge boost rise rising | decrease reduce lower shrink lose loss drop fall falling decline diminish cut
gain put~on | lose
win won winner victory | lose lost loser defeat
buy purchase bought | sell sold
lend lent loan | borrow borrowed
lessor landlord | lessee tenant
send sent sender | receive received recipient receiver
give gave donor | take took
push | pull
import | export
upload | download
upgrade | downgrade
encrypt encode encryption | decrypt decode decryption
lock | unlock
mount | unmount
subscribe | unsubscribe
connect attach | disconnect detach
show display reveal | hide hidden conceal
allow permit allowed | forbid deny block prohibit prevent ban refuse
accept approve | reject decline refuse deny
allow~list allowlist whitelist | denylist blocklist blacklist
include including inclusive | exclude excluding exclusive
public | private
required mandatory compulsory | optional voluntary
before prior earlier until | after later following since
first initial earliest opening | last final latest
former | latter
previous | next following
past | future
yesterday | today | tomorrow | tonight
always | never | sometimes
old older oldest ancient | new newer newest | young younger youngest
early | late
minimum min minimal least lowest minimize minimise fewest | maximum max maximal most highest maximize maximise
more most | less fewer least fewest
many | few
greater bigger larger largest biggest greatest big large huge | smaller smallest small little tiny
high higher highest top | low lower lowest bottom
tall taller tallest | short shorter shortest small
long longer longest | short shorter shortest brief
wide wider widest broad | narrow narrower narrowest
thick thicker | thin thinner
deep deeper deepest | shallow shallower
heavy heavier heaviest | light lighter lightest
fast faster fastest quick quicker quickest | slow slower slowest
strong stronger strongest | weak weaker weakest
hot hotter hottest warm warmer warmest | cold colder coldest cool cooler coolest
hard harder hardest difficult | easy easier easiest simple
hard harder hardest | soft softer softest
rich richer richest wealthy | poor poorer poorest
cheap cheaper cheapest inexpensive | expensive costly dear
good better best great well | bad worse worst
safe safely secure | dangerous unsafe risky harmful
healthy | unhealthy sick ill
happy | sad
near nearer nearest close closer closest | far farther farthest furthest further
above over exceed exceeding | below under beneath
inside indoors inner into | outside outdoors outer
internal | external
input | output
inbound incoming | outbound outgoing
up upward upwards upper | down downward downwards
ascending ascend | descending descend
left | right
front | back rear
forward forwards | backward backwards
north northern | south southern | east eastern | west western
horizontal row | vertical column
advantage pro pros benefit strength upside | disadvantage con cons drawback weakness downside
cause causes reason | effect effects consequence result
positive | negative
plus sum addition | minus difference subtraction
multiply times product | divide quotient
odd | even
true | false
success succeed pass passed | failure fail failed
empty | full
alive living | dead
present | absent
visible | invisible
similar same similarity equal | different difference differ unequal
love like | hate dislike
agree | disagree
friend | enemy
ally | enemy
male man men boy father son brother husband he his him | female woman women girl mother daughter sister wife she her
parent | child
teacher | student
employer | employee
buyer customer | seller vendor
server | client
question | answer
major majority | minor minority
single | double twofold | triple
singular | plural
temporary | permanent
static | dynamic
manual | automatic
local | remote
online | offline
read | write
encoder | decoder
compress | decompress extract
arrive arrival | depart departure leave
enter entry entrance | exit
income revenue earn | expense expenditure spend
asset | liability
credit | debit
profit | loss
deposit | withdraw withdrawal
debtor | creditor
ancestor | descendant
day daytime | night nighttime
morning | noon midday | afternoon | evening
monday | tuesday | wednesday | thursday | friday | saturday | sunday
january | february | april | june | july | august | september | october | november | december
spring | summer | autumn | winter
red | green | blue | yellow | black | white | orange | purple | pink | brown | grey gray
daily | weekly | monthly | quarterly | yearly annually annual | hourly
when | where | who whom | why
what~time when | where
einschalten schalte~ein aktivieren aktiviere | ausschalten schalte~aus deaktivieren deaktiviere
vor vorher | nach nachher
mehr | weniger
erste ersten erster | letzte letzten letzter
größer größte größten | kleiner kleinste kleinsten
höher höchste höchsten | niedriger niedrigste niedrigsten
öffnen öffne öffnet | schließen schließe schließt
kaufen kaufe | verkaufen verkaufe
links | rechts
hinzufügen | entfernen löschen
vorteil vorteile | nachteil nachteile
montag | dienstag | mittwoch | donnerstag | freitag | samstag | sonntag
gestern | heute | morgen
activer | désactiver
avant | après
premier première | dernier dernière
acheter | vendre
ouvrir | fermer
ajouter | supprimer
gauche | droite
avantage avantages | inconvénient inconvénients
hier | aujourd'hui | demain
lundi | mardi | mercredi | jeudi | vendredi | samedi | dimanche
antes | después depois
más mais | menos
primero primera primeiro primeira | último última
comprar | vender
abrir | cerrar fechar
añadir adicionar agregar | eliminar quitar remover
izquierda esquerda | derecha direita
ayer ontem | hoy hoje | mañana amanhã
lunes | martes | miércoles | jueves | viernes | sábado | domingo
prima | dopo
più | meno
comprare | vendere
aprire | chiudere
aggiungere | rimuovere
sinistra | destra
`

export const axes: readonly (readonly (readonly string[])[])[] = lines
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((pole) => pole.trim().split(' ')))

/** Prefixes as in `safe`, `unsafe`. */
export const reversingPrefixes = 'un in im il ir non non- dis dés des de dé mis anti a'.split(' ')

/** Pairs of prefixes as in `upload`, `download`. */
export const polarPrefixes: readonly (readonly [string, string])[] = [
  ['up', 'down'],
  ['in', 'out'],
  ['in', 'ex'],
  ['im', 'ex'],
  ['in', 'de'],
  ['en', 'de'],
  ['en', 'dis'],
  ['as', 'des'],
  ['over', 'under'],
  ['pre', 'post'],
  ['inter', 'intra'],
  ['hyper', 'hypo'],
  ['max', 'min'],
  ['maj', 'min'],
  ['ver', 'ent'],
  ['auf', 'ab'],
  ['auf', 'zu'],
  ['ein', 'aus'],
  ['an', 'aus'],
  ['vor', 'nach'],
  ['at', 'disat'],
  ['at', 'desat'],
]
