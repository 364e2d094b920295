/**
 * Questions of callers of a semantic cache: the same intent about many things, so every question has close neighbours
 * that must not be mistaken for it, and a second wording of each.
 */

/** Two wordings of each intent; `{}` stands for the thing. */
const intents: readonly [stored: string, asked: string][] = [
  ['How do I cancel my {}?', 'I want to cancel the {} I have, what are the steps?'],
  ['How much does a {} cost?', 'What is the price of a {}?'],
  ['Where can I buy a used {}?', 'Which places sell second-hand {}s?'],
  ['How do I clean a {} properly?', 'What is the right way to clean a {}?'],
  ['What is the history of the {}?', 'Tell me how the {} came to be over time.'],
  ['Write a short poem about a {}.', 'Please compose a few lines of verse on the subject of a {}.'],
  ['My {} is broken. Can I get a refund?', 'Can I have my money back because my {} does not work?'],
  ['How long does the delivery of a {} take?', 'When will a {} arrive after I order it?'],
  ['Explain to a child how a {} works.', 'Describe the way a {} works in words a child understands.'],
  ['Which {} is best for beginners?', 'What {} would you recommend to somebody who is just starting?'],
  ['How do I repair a {} at home?', 'Can I fix a {} myself without going to a shop?'],
  ['Is it safe to leave a {} outside in winter?', 'May a {} stay outdoors when it is cold?'],
  ['Translate "the {} is on the table" into French.', 'How do you say "the {} is on the table" in French?'],
  ['List five advantages of a {}.', 'Give me five good reasons for having a {}.'],
  ['What should I check before I buy a {}?', 'Before purchasing a {}, what do I need to look at?'],
  ['How do I insure a {} against theft?', 'I need insurance in case my {} is stolen.'],
  ['Who invented the {}?', 'What is the name of the person who invented the {}?'],
  [
    'Draft an email that asks a friend to lend me a {}.',
    'Write a message to a friend asking to borrow a {}.',
  ],
  ['How heavy is a {} on average?', 'What does a typical {} weigh?'],
  ['How do I recycle an old {}?', 'What do I do with a {} that I no longer need so that it gets recycled?'],
]

const things = (
  'bicycle laptop piano camera sofa tent guitar kettle printer lawnmower telescope helmet mattress carpet violin ' +
  'microwave dishwasher bookshelf headset keyboard drone scooter canoe wheelchair fridge radio television clock ' +
  'backpack umbrella typewriter surfboard trampoline heater fan candle mirror ladder hammer drill microscope ' +
  'thermometer passport subscription magazine necklace raincoat suitcase hammock grill'
).split(' ')

const worded = (pattern: string, thing: string) => pattern.replace('{}', thing)

/** Each question in the wording in which it is stored: all intents about all things. */
export const storedQuestions = things.flatMap((thing) => intents.map(([stored]) => worded(stored, thing)))

/** Every seventh of them in its other wording, and the place of the one that it repeats. */
export const askedQuestions = things
  .flatMap((thing) => intents.map(([, asked]) => worded(asked, thing)))
  .map((text, stored) => ({ text, stored }))
  .filter(({ stored }) => stored % 7 === 0)
