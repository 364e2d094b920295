/** Whether two questions agree in features that embeddings hardly reflect. */
import { expect } from 'chai'
import fc from 'fast-check'
import { type Disagreement, disagreement } from '#agreement/disagreement'
import { questionOf } from '#agreement/question'
import { isQuestion } from '#agreement/question-type'
import { assertProperty } from '../../support/assert-property.ts'
import { questionPairs } from './question-pairs/pairs.ts'

const compare = (one: string, other: string) => disagreement(questionOf(one), questionOf(other))

const agreeing: [what: string, one: string, other: string][] = [
  ['other words of grammar', 'How do I reset my password?', 'How can I reset the password, please?'],
  ['a number in words', 'Give me two hundred and fifty examples', 'Give me 250 examples'],
  ['an ordinal in words', 'the twenty-first chapter', 'the 21st chapter'],
  ['a magnitude', 'a city of 1.5 million people', 'a city of 1,500,000 people'],
  ['separators of thousands', 'about 10,000 users', 'about 10000 users'],
  ['thin spaces in a number', 'about 10\u202f000 users', 'about 10000 users'],
  ['a unit in full', 'a run of 5 km', 'a run of 5 kilometers'],
  ['a currency sign', 'Is $100 enough?', 'Is 100 dollars enough?'],
  ['percent in words', '20% of it', '20 percent of it'],
  ['degrees', 'Is 20 °C warm?', 'Is 20 degrees Celsius warm?'],
  ['a.m.', 'Wake me at 7 a.m.', 'Wake me at 7am'],
  ['a Roman numeral', 'When did World War II end?', 'When did World War 2 end?'],
  ['digits of another script', 'المدينة ٢٠', 'المدينة 20'],
  ['a contraction', "I can't log in", 'I cannot log in'],
  ['an adjective for a negation', 'a recipe without sugar', 'a sugarless recipe'],
  ['curly quotes', 'What does “sensible” mean?', 'What does "sensible" mean?'],
  ['code in another place', 'In `a.ts`, what is wrong?', 'What is wrong in `a.ts`?'],
  ['the name of a model', 'Is GPT-4 good?', 'Is gpt4 good?'],
  ['names in lower case', 'the weather in Paris', 'the weather in paris'],
  ['names with their prepositions', 'Flights from Paris to London', 'Flights to London from Paris'],
  ['a moved phrase', 'In Python, how do I sort a list?', 'How do I sort a list in Python?'],
  ['a synonym from the list of opposites', 'How do I enable it?', 'How do I activate it?'],
  ['a phrase with words between', 'Turn the sound off', 'Turn off the sound'],
  ['second-hand, which is no number', 'Is a used piano good?', 'Is a second-hand piano good?'],
  ['possessives', "Brazil's population", 'the population of Brazil'],
]

const differing: [what: string, because: Disagreement, one: string, other: string][] = [
  ['another amount', 'numbers', 'How much is 100 dollars?', 'How much is 1000 dollars?'],
  ['another currency', 'numbers', 'Convert 100 dollars', 'Convert 100 euros'],
  ['another unit', 'numbers', 'a run of 5 km', 'a run of 5 miles'],
  ['a unit without a number', 'units', 'the distance in miles', 'the distance in meters'],
  ['exchanged numbers', 'numbers', 'Subtract 5 from 10', 'Subtract 10 from 5'],
  ['another number word', 'numbers', 'three ideas', 'thirteen ideas'],
  ['another ordinal', 'numbers', 'the First World War', 'the Second World War'],
  ['another version', 'numbers', 'new in Python 3.1', 'new in Python 3.10'],
  ['another sign', 'numbers', 'What if x is 5?', 'What if x is -5?'],
  ['another time of day', 'numbers', 'Wake me at 7 am', 'Wake me at 7 pm'],
  ['another date', 'numbers', 'due on 2024-03-01', 'due on 2024-01-03'],
  ['another numeral in Chinese', 'numbers', '写三个例子', '写五个例子'],
  ['a negation', 'negation', 'Which foods contain nuts?', "Which foods don't contain nuts?"],
  ['without', 'negation', 'travel with a visa', 'travel without a visa'],
  ['a negation in German', 'negation', 'Darf ich hier parken?', 'Darf ich hier nicht parken?'],
  ['a negation in French', 'negation', 'avec un visa', 'sans visa'],
  ['a negation in Spanish', 'negation', 'con visado', 'sin visado'],
  ['a negation in Chinese', 'negation', '我可以停车', '我不可以停车'],
  ['another quotation', 'literals', 'Translate "good day"', 'Translate "good night"'],
  ['other code', 'literals', 'What does `a == b` do?', 'What does `a != b` do?'],
  ['another operator', 'literals', 'Is a < b here?', 'Is a > b here?'],
  ['another identifier', 'literals', 'What is MAX_SIZE?', 'What is MIN_SIZE?'],
  ['another path', 'literals', 'Read src/a/b.ts', 'Read src/a/c.ts'],
  ['another address', 'literals', 'Open https://a.example/x', 'Open https://a.example/y'],
  ['another flag', 'literals', 'What does --force do?', 'What does --quiet do?'],
  ['another ticket', 'literals', 'Close ABC-1234', 'Close ABC-1243'],
  ['enable and disable', 'opposites', 'How do I enable it?', 'How do I disable it?'],
  ['on and off', 'opposites', 'How do I turn it on?', 'How do I turn it off?'],
  ['before and after', 'opposites', 'exercise before breakfast', 'exercise after breakfast'],
  ['more and less', 'opposites', 'Is it more expensive?', 'Is it less expensive?'],
  ['a reversing prefix', 'opposites', 'Is it legal?', 'Is it illegal?'],
  ['opposite prefixes', 'opposites', 'an overestimated risk', 'an underestimated risk'],
  ['ascending and descending', 'opposites', 'sort ascending', 'sort descending'],
  ['another weekday', 'opposites', 'open on Monday', 'open on Tuesday'],
  ['an opposite in German', 'opposites', 'Schalte es ein', 'Schalte es aus'],
  ['an opposite in French', 'opposites', 'activer le son', 'désactiver le son'],
  ['another name', 'names', 'the weather in Paris', 'the weather in London'],
  ['exchanged names', 'order', 'Flights from Paris to London', 'Flights from London to Paris'],
  ['exchanged letters', 'order', 'Move it from A to B', 'Move it from B to A'],
  ['exchanged names in lower case', 'order', 'does rust outperform zig', 'does zig outperform rust'],
  ['exchanged names in Chinese', 'order', '从北京到上海', '从上海到北京'],
  ['exchanged things', 'order', 'Is a train cheaper than a plane?', 'Is a plane cheaper than a train?'],
  ['another thing', 'words', 'the price of a laptop', 'the price of a printer'],
  ['one thing more', 'words', 'Is it safe to eat eggs?', 'Is it safe to eat raw eggs?'],
  ['another direction', 'words', 'flights to paris', 'flights from paris'],
]

describe('the agreement of two questions', () => {
  for (const [what, one, other] of agreeing)
    it(`is found despite ${what}`, () => expect(compare(one, other)).to.equal(null))

  for (const [what, because, one, other] of differing)
    it(`is refused for ${what}`, () => expect(compare(one, other)).to.equal(because))

  it('is refused for two questions about one long text', () => {
    const long =
      'The committee met in spring and discussed the budget, the new building and the staff. '.repeat(40)
    const ask = (question: string) => `user: ${long}\n${question}`
    expect(compare(ask('What did they decide about money?'), ask('Who spoke against it?'))).to.equal('words')
    expect(compare(ask('What did they decide?'), ask('What did they decide, please?'))).to.equal(null)
  })

  it('survives storing', () => {
    const question = questionOf('Is `a` 5 km from "b", or not?')
    const stored: unknown = JSON.parse(JSON.stringify(question))
    expect(isQuestion(stored) && disagreement(question, stored)).to.equal(null)
    expect(isQuestion({ ...question, version: 0 })).to.equal(false)
    expect(isQuestion('text')).to.equal(false)
  })

  const phrase = fc.oneof(
    fc.constantFrom(...questionPairs.flatMap(({ one, other }) => [one, other])),
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc
      .array(
        fc.constantFrom('"', '`', "'", '.', '5', 'km', 'two', 'hundred', 'A', 'not', '$', '_', '-', '\n'),
        {
          maxLength: 30,
        },
      )
      .map((parts) => parts.join(' ')),
  )

  it('holds for every question with itself', () =>
    assertProperty(
      fc.property(phrase, (text) => {
        expect(compare(text, text)).to.equal(null)
      }),
    ))

  it('is the same in both directions', () =>
    assertProperty(
      fc.property(phrase, phrase, (one, other) => {
        const agrees = (found: Disagreement | null) => found === null
        expect(agrees(compare(one, other))).to.equal(agrees(compare(other, one)))
      }),
    ))

  it('is lost when any digit changes', () =>
    assertProperty(
      fc.property(phrase, fc.nat(), fc.integer({ min: 1, max: 9 }), phrase, (before, number, by, behind) => {
        const digits = String(number)
        const text = (written: string) => `${before} ${written} ${behind}`
        for (const [index, digit] of [...digits].entries()) {
          const other = (Number(digit) + by) % 10
          const changed = digits.slice(0, index) + String(other) + digits.slice(index + 1)
          expect(compare(text(digits), text(changed)), changed).not.to.equal(null)
        }
      }),
    ))

  it('of texts of 100,000 characters is decided quickly, whatever they repeat', () => {
    for (const part of [
      'a',
      'a.',
      'a-',
      'a@',
      '/a',
      '`',
      '"',
      "'",
      '```',
      '_',
      '1',
      '1,',
      'two ',
      'a b ',
      'Ab ',
      'http:',
    ])
      expect(() => questionOf(part.repeat(100_000 / part.length))).not.to.throw()
  })
})
