/**
 * Numbers written as words, without words that usually mean something else (`one`, `un`, `ein`, Italian `sei`, Spanish
 * `once`).
 */

const lines = `
0 zero null
1 first erste ersten erster primero primera primeiro primeira primo prima premier première
2 two twice second secondly zwei zweite zweiten deux deuxième dos segundo segunda dois duas due secondo seconda twee
3 three thrice third drei dritte dritten trois troisième tres tercero tercera três terceiro tre terzo terza drie
4 four fourth vier vierte quatre cuatro quatro quattro
5 five fifth fünf fünfte cinq cinco cinque vijf
6 six sixth sechs seis zes
7 seven seventh sieben sept siete sete sette zeven
8 eight eighth acht huit ocho oito otto
9 nine ninth neun neuf nueve nove negen
10 ten tenth zehn dix diez dez dieci tien
11 eleven eleventh elf onze undici
12 twelve twelfth zwölf douze doce doze dodici twaalf
13 thirteen thirteenth dreizehn treize trece treze tredici dertien
14 fourteen fourteenth vierzehn quatorze catorce catorze quattordici veertien
15 fifteen fifteenth fünfzehn quinze quince quindici vijftien
16 sixteen sixteenth sechzehn seize sedici zestien
17 seventeen seventeenth siebzehn diciassette zeventien
18 eighteen eighteenth achtzehn diciotto achttien
19 nineteen nineteenth neunzehn diciannove negentien
20 twenty twentieth zwanzig vingt veinte vinte venti twintig
30 thirty thirtieth dreißig trente treinta trinta trenta dertig
40 forty fortieth vierzig quarante cuarenta quarenta quaranta veertig
50 fifty fiftieth fünfzig cinquante cincuenta cinquenta cinquanta vijftig
60 sixty sixtieth sechzig soixante sesenta sessenta sessanta zestig
70 seventy seventieth siebzig setenta settanta zeventig
80 eighty eightieth achtzig ochenta oitenta ottanta tachtig
90 ninety ninetieth neunzig noventa novanta negentig
0.5 half halb halbe halben demi medio media meio meia mezzo mezza
12 dozen
100 hundred hundredth hundert cent cien ciento cem cento honderd
1000 k thousand thousandth tausend mille mil mila duizend
1000000 mn million millions millionen millón millones milhão milhões milione milioni miljoen
1000000000 bn billion billions milliarde milliarden milliard milliards miljard
1000000000000 trillion trillions
2 二 两 兩
3 三
4 四
5 五
6 六
7 七
8 八
9 九
10 十
100 百
1000 千
10000 万 萬
100000000 亿 億
`

const entries = lines
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [value, ...words] = line.split(' ')
    return words.map((word): [string, number] => [word, Number(value)])
  })

export const numberWords: ReadonlyMap<string, number> = new Map(entries)

/** Words that multiply the number before them. */
export const isMagnitude = (word: string): boolean => {
  const value = numberWords.get(word) ?? 0
  return value >= 100 || word === 'dozen'
}

/** Roman numerals of at least two letters, as used after names: `Henry VIII`. */
export const romanNumerals: ReadonlyMap<string, number> = new Map(
  'II III IV VI VII VIII IX XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI'
    .split(' ')
    .map((numeral) => [numeral, romanValue(numeral)]),
)

function romanValue(numeral: string): number {
  const values: Record<string, number> = { I: 1, V: 5, X: 10 }
  return [...numeral].reduce((sum, letter, index) => {
    const value = values[letter] ?? 0
    return sum + (value < (values[numeral[index + 1] ?? ''] ?? 0) ? -value : value)
  }, 0)
}
