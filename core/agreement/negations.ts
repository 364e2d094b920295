/** Counts the negating words of a text. */
import type { Token } from './tokens.ts'

const words: ReadonlySet<string> = new Set(
  (
    'not no never none nothing nobody nowhere neither nor cannot without unable noone unless except excluding hardly ' +
    'dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt hasnt havent hadnt ' +
    'nicht kein keine keinen keinem keiner keines ohne nie niemals niemand nichts weder außer ' +
    'pas jamais sans aucun aucune rien sauf ' +
    'nunca sin ningún ninguno ninguna nada tampoco jamás excepto ' +
    'não sem nenhum nenhuma nem exceto ' +
    'non mai senza nessun nessuno nessuna niente tranne ' +
    'niet geen zonder nooit niemand niets ' +
    'nie bez nigdy brak не нет без никогда ни ничего никто нельзя ' +
    'değil yok hayır không chưa नहीं मत बिना ' +
    'لا ليس لم لن غير بدون لیس ' +
    '不 没 沒 無 无 非 未 别 勿'
  ).split(' '),
)

/** Negating endings in Korean and Japanese. */
const inside = /않|없|못|아니/u

/** Matches `homeless`, `sugarless`, `kostenlos`. */
const ending = /^\p{L}{3,}(?:less|los|lose|losen|frei)$/u

export const countNegations = (tokens: readonly Token[]): number =>
  tokens.filter(
    ({ text }) => words.has(text) || text.endsWith("n't") || inside.test(text) || ending.test(text),
  ).length
