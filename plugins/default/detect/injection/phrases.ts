/**
 * Phrases as sequences of word groups. Between two groups up to a given number of other words may occur; the end of a
 * sentence counts as several words. The weight is the confidence of a single match, from 0 to 1.
 */
import type { Group } from './vocabulary.ts'

export interface Phrase {
  id: string
  weight: number
  /** The groups in order, each with the number of words that may come before it. */
  steps: readonly [group: Group, gap: number][]
}

/** @param row groups, with numbers where a number of other words different from two may come between them */
function phrase(id: string, weight: number, row: string): Phrase {
  let gap = 2
  const steps: [Group, number][] = []
  for (const word of row.split(' ')) {
    if (/^\d+$/.test(word)) gap = Number(word)
    else {
      // Tests verify that every word of every row is a group.
      steps.push([word as Group, gap])
      gap = 2
    }
  }
  return { id, weight, steps }
}

export const phrases: readonly Phrase[] = [
  phrase('override.previous_instructions', 0.9, 'ignore 5 prior 3 instructions'),
  phrase('override.instructions_above', 0.9, 'ignore 5 instructions 3 prior'),
  phrase('override.all_instructions', 0.6, 'ignore 2 every 2 instructions'),
  phrase('override.everything_said', 0.7, 'ignore 1 totality 5 told'),
  phrase('override.turkish', 0.8, 'prior 2 instructions 3 turkishIgnore'),
  phrase('override.not_followed', 0.6, 'not 0 follow 2 every 3 instructions'),
  phrase('override.not_followed', 0.6, 'not 0 follow 3 prior 2 instructions'),
  phrase('override.new_task', 0.35, 'following 2 new 1 task'),
  phrase('override.from_now_on', 0.35, 'from 0 now 0 on 1 you'),
  phrase('override.you_are_now', 0.3, 'you 0 be 1 now'),
  phrase('override.safety', 0.4, 'disable 3 safety 2 limits'),
  phrase('override.own_safety', 0.6, 'disable 2 own 2 safety 2 limits'),
  phrase('jailbreak.do_anything_now', 0.85, 'do 0 anythingWord 0 now'),
  phrase('jailbreak.persona', 0.6, 'you 0 be 2 dan'),
  phrase('jailbreak.acts_as', 0.5, 'pretend 2 dan'),
  phrase('jailbreak.mode', 0.35, 'modeName 0 mode'),
  phrase('jailbreak.in_mode', 0.5, 'you 3 in 1 modeName 0 mode'),
  phrase('jailbreak.unbound', 0.55, 'you 1 be 5 none 2 bonds'),
  phrase('jailbreak.no_limits', 0.4, 'machine 4 none 2 bonds'),
  phrase('jailbreak.pretend_lawless', 0.35, 'pretend 7 lawless'),
  phrase('jailbreak.lawless_persona', 0.6, 'pretend 7 lawless 2 machine'),
  phrase('jailbreak.lawless_machine', 0.4, 'lawless 1 reader'),
  phrase('jailbreak.name', 0.2, 'jailbreak'),
  phrase('jailbreak.in_character', 0.25, 'stay 0 in 1 character'),
  phrase('jailbreak.never_refuse', 0.4, 'never 1 refuse'),
  phrase('extraction.hidden_prompt', 0.65, 'reveal 4 hidden 1 promptNoun'),
  phrase('extraction.own_prompt', 0.55, 'reveal 3 own 3 promptNoun'),
  phrase('extraction.own_prompt', 0.55, 'ask 3 own 3 promptNoun'),
  phrase('extraction.prompt_of_system', 0.6, 'reveal 4 promptNoun 2 hidden'),
  phrase('extraction.repeat_above', 0.6, 'saying 2 words 3 verbatim'),
  phrase('encoded.decode_and_follow', 0.5, 'decode 4 encodedNoun 6 execute'),
  phrase('tools.unasked', 0.5, 'call 4 tool 10 withoutWord 2 asking'),
  phrase('tools.send_secrets', 0.5, 'send 5 loot 5 to 3 address'),
  phrase('tools.hide_from_user', 0.45, 'not 0 tell 3 person'),
  phrase('tools.addressed_to_machine', 0.4, 'if 0 you 0 be 2 reader'),
  phrase('tools.hails_machine', 0.35, 'hail 2 reader'),
  phrase('delimiter.end_of_section', 0.3, 'end 0 of 1 section'),
]
