/** Words that can be exchanged, added or left out without changing the question. */

/** Words of grammar and politeness. Negations, numbers and opposites are compared separately. */
const grammar = `
a an the this that these those there here it its i me my mine we us our you your yourself he him his she her they them
their one ones someone somebody something anyone anything everything myself oneself self
be am is are was were been being do does did done doing have has had having get gets got getting
can could may might must shall should will would ought able unable cannot want like need know let going go wish
what which who whom whose when where why how whether if because so as than then while during
and or but also too just only even still yet already now currently actually really exactly simply basically really
in on at of for about with within by using via through into onto to from out up per among between over around
please kindly thanks thank hi hello hey ok okay sorry
tell show give explain describe say find list help ask answer question mean meaning provide write
not no never none without nor neither n't cannot unable
请 吗 呢 的 了 は が を の に で か と も
possible step steps properly correctly way ways thing things kind sort type amount number lot much many any some all each every both either
away left ago contain currently available right look use make take come come happen exist call
's 're 've 'd 'll 'm isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't
i'm i'd i'll i've you're what's who's where's when's how's why's it's that's there's let's
user assistant system developer
der die das den dem des ein eine einen einem einer ich mich mir mein meine du dich dir dein sie ihr ihre wir uns man es
ist sind war waren sein wird werden hat haben kann können könnte darf soll muss möchte will bitte was wie wo wer wann warum welche
welcher welches und oder auch nur noch schon zu zum zur im in am an auf von vom mit für bei aus nach über viel viele gibt
le la les l un une des du de d je j me mon ma mes tu te ton ta tes il elle on nous vous est sont être avoir ai as a ont puis peux
peut pouvez veux voudrais s'il vous plaît que quoi quel quelle quels quelles qui où quand comment pourquoi combien et ou aussi en
dans sur à au aux pour par avec y ce cette ces ne pas
el los las una unos unas yo mi mis tu tus su sus es son ser estar está están he ha han puedo puede puedes quiero quisiera por favor
qué cuál cuáles quién dónde cuándo cómo cuánto cuánta cuántos y o también en sobre para con lo se me te hay
lo gli i uno dei delle degli del della di da io mio mia sono è sei posso può voglio vorrei favore che cosa quale quali chi dove
come quanto e anche nel nella su per con si ci c'è o os as um uma eu meu minha é são posso pode quero qual quais quem onde quando
`

/** Words with the same meaning, one group per line. Poles of opposites are also groups. */
const synonyms = `
fix repair mend solve resolve
change modify edit update alter adjust
cost price charge fee expensive
mail email e-mail
quick fast rapid
make create build produce prepare generate
cancel terminate end
reset restore recover
money-back refund reimbursement
order purchase
package parcel shipment
ship shipping deliver delivery
arrive come
accept take
travel fly trip journey
weather climate
picture photo image
movie film
car automobile vehicle
phone telephone mobile smartphone
doctor physician
job work
kid child
house home
shop store
start begin
choose select pick
check verify
calculate compute determine work
summarise summarize summary
author write writer wrote
paint painter
invent inventor invention
found founder establish
height tall high
age old
population people live inhabitants
length long
weight heavy weigh
speed fast
distance far
temperature hot warm
recommend suggest suggestion recommendation
tip advice hint
pros advantages benefits
cons disadvantages drawbacks
grow increase
error bug fault problem issue
method function procedure
folder directory
log sign
login sign-in signin
logout sign-out
center centre
color colour
favorite favourite
organise organize
analyse analyze
learn study
improve better
improve enhance
good best great nice
draft compose
short brief
right correct
legal allowed permitted
safe safely
network net
flight fly
work exercise
year date
time hour
city town
country nation state
setting option parameter
value amount
buy purchase get
translate say translation
word term
forget forgot forgotten
pay payment
remind reminder
joke funny
difference different differ
sort order
use employ
own have
`

const linesOf = (text: string) => text.trim().split('\n')

export const grammarWords: readonly string[] = linesOf(grammar).flatMap((line) => line.split(' '))
export const synonymGroups: readonly (readonly string[])[] = linesOf(synonyms).map((line) => line.split(' '))
