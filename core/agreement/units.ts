/** Units, with their written forms. */

/** Words that are units wherever they occur. */
const words = `
km kilometre kilometer kilomètre kilómetro chilometro quilômetro
mile meile
m metre meter mètre metro
cm centimetre centimeter zentimeter
mm millimetre millimeter
inch inches zoll pouce
foot feet
yd yard
kg kilogram kilogramme kilo
g gram gramme gramm
mg milligram milligramme milligramm
lb lbs pound libra
oz ounce
t tonne tonnen
l litre liter litro
ml millilitre milliliter
gal gallon
c celsius centigrade
f fahrenheit
k kelvin
h hour stunde stunden heure hora ora
min minute minuten minuto
s seconds sekunde sekunden seconde segundos secondi
ms millisecond millisekunde
day days tag tage tagen jour día dia giorno giorni
week woche wochen semaine semana settimana
month monat monate monaten mois mes meses mese
year jahr jahre jahren année año ano anno anni
decade jahrzehnt
century jahrhundert siècle siglo secolo
usd dollar dólar dollaro
eur euro
gbp sterling
jpy yen
cny yuan renminbi
chf franken
inr rupee
krw won
cent cents
kb kilobyte
mb megabyte
gb gigabyte
tb terabyte
kwh kilowatt-hour
watt watts
volt volts
hz hertz
kmh kph
mph
percent pct prozent porcentaje percento
acre acres
hectare hektar
calorie calories kcal
joule joules
`

/** Words that are units only after a number; elsewhere they have another meaning. */
const afterNumbers = `
mile mi
foot ft
m m
g g
l l
t t
c c
f f
k kelvins
h h hr hrs
min min mins
s s sec secs second
day d
week w wk wks
month mo mos
year y yr yrs
usd $ us$
eur €
gbp £ quid
jpy ¥
inr ₹
krw ₩
chf fr
percent %
degree ° degree grad
kb kib
mb mib
gb gib
tb tib
watt w
kw kilowatt
volt v
am am
pm pm
px pixel
times x time times mal fois veces volte
word word
`

function read(lines: string, ownName: boolean): [string, string][] {
  return lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [unit = '', ...forms] = line.split(' ')
      return [...(ownName ? [unit] : []), ...forms].flatMap((form): [string, string][] => [
        [form, unit],
        [`${form}s`, unit],
      ])
    })
}

/** Units of one letter are not separate words. */
export const unitWords: ReadonlyMap<string, string> = new Map(
  read(words, true).filter(([form]) => form.length > 2 && form !== 'won' && form !== 'libra'),
)

export const unitsAfterNumbers: ReadonlyMap<string, string> = new Map([
  ...read(words, true),
  ...read(afterNumbers, false),
])

export const currencies: ReadonlyMap<string, string> = new Map([
  ['$', 'usd'],
  ['€', 'eur'],
  ['£', 'gbp'],
  ['¥', 'jpy'],
  ['₹', 'inr'],
  ['₩', 'krw'],
])
