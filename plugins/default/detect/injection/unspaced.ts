/** Phrases in languages without spaces between words, or with changing word endings: Chinese, Japanese, Korean. */
import { compilePattern } from '@gateway/contract'
import type { Hit } from './hit.ts'

const rows: readonly [id: string, weight: number, pattern: string][] = [
  [
    'override.previous_instructions',
    0.85,
    '(?:忽略|无视|忘记|忘掉|不要理会|無視|忽視).{0,12}(?:之前|以上|先前|前面|所有|上面|上述|一切).{0,10}(?:指令|指示|提示|规则|規則|要求|命令|内容)',
  ],
  ['override.all_instructions', 0.6, '(?:忽略|无视|忘记|忽視).{0,6}(?:指令|指示|提示词|规则|規則)'],
  [
    'override.previous_instructions',
    0.85,
    '(?:以前|これまで|今まで|上記|前|先ほど|すべて|全て)の.{0,12}(?:指示|命令|ルール|プロンプト|指令).{0,8}(?:無視|忘れ|従わない)',
  ],
  [
    'override.previous_instructions',
    0.85,
    '(?:이전|위의|앞의|지금까지|모든|기존).{0,12}(?:지시|명령|규칙|프롬프트|지침).{0,8}(?:무시|잊)',
  ],
  [
    'extraction.hidden_prompt',
    0.65,
    '(?:显示|输出|告诉我|透露|打印|重复|展示).{0,10}(?:系统|初始|隐藏|你的).{0,4}(?:提示|指令|设定)',
  ],
  [
    'extraction.hidden_prompt',
    0.65,
    '(?:システム|初期|隠された)(?:プロンプト|指示|命令).{0,10}(?:教え|表示|見せ|出力|公開|繰り返)',
  ],
  [
    'extraction.hidden_prompt',
    0.65,
    '(?:시스템|초기|숨겨진).{0,3}(?:프롬프트|지시|명령).{0,10}(?:알려|보여|출력|공개|말해)',
  ],
  [
    'override.you_are_now',
    0.3,
    '(?:你现在是|从现在开始|從現在開始|あなたは今|今からあなたは|지금부터 너는|이제부터 당신은)',
  ],
]

const compile = () => rows.map(([id, weight, pattern]) => ({ id, weight, pattern: compilePattern(pattern) }))
let compiled: ReturnType<typeof compile> | null = null
const mostHits = 5

export function findUnspaced(text: string): Hit[] {
  // Compiled on first use, because a start should not wait for it.
  compiled ??= compile()
  return compiled.flatMap(({ id, weight, pattern }) =>
    pattern.find(text, mostHits).map(({ start, end }) => ({ id, weight, start, end })),
  )
}
