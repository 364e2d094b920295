/** Cases of the check that estimates a language. */
import { type CheckRow, casesOf } from '@gateway/testing'
import { model, user } from './bodies.ts'

/** One and the same question. */
const questions: Readonly<Record<string, string>> = {
  en: 'Could you please tell me how the weather will be in the next few days?',
  es: '¿Puedes decirme cómo será el tiempo en los próximos días en la ciudad?',
  fr: 'Pouvez-vous me dire quel temps il fera dans les prochains jours à la montagne ?',
  de: 'Kannst du mir bitte sagen, wie das Wetter in den nächsten Tagen wird?',
  it: 'Mi puoi dire come sarà il tempo nei prossimi giorni nella nostra città?',
  pt: 'Você pode me dizer como será o tempo nos próximos dias na nossa cidade?',
  nl: 'Kun je me vertellen hoe het weer de komende dagen in onze stad zal zijn?',
  sv: 'Kan du berätta för mig hur vädret kommer att bli de närmaste dagarna?',
  da: 'Kan du fortælle mig, hvordan vejret bliver de næste dage i vores by?',
  no: 'Kan du fortelle meg hvordan været blir de neste dagene i byen vår?',
  fi: 'Voitko kertoa minulle, millainen sää on seuraavina päivinä meidän kaupungissa?',
  pl: 'Czy możesz mi powiedzieć, jaka będzie pogoda w najbliższych dniach?',
  cs: 'Můžete mi prosím říct, jaké bude počasí v příštích dnech ve městě?',
  ro: 'Poți să îmi spui cum va fi vremea în următoarele zile în orașul nostru?',
  hu: 'Meg tudod mondani, hogy milyen lesz az idő a következő napokban?',
  tr: 'Önümüzdeki günlerde havanın nasıl olacağını bana söyler misin lütfen?',
  vi: 'Bạn có thể cho tôi biết thời tiết trong những ngày tới như thế nào không?',
  id: 'Bisakah Anda memberi tahu saya bagaimana cuaca di kota kami dalam beberapa hari ke depan?',
  ru: 'Не мог бы ты сказать мне, какая будет погода в ближайшие дни?',
  uk: 'Чи не міг би ти сказати мені, яка буде погода найближчими днями?',
  bg: 'Можеш ли да ми кажеш какво ще бъде времето през следващите дни?',
  el: 'Μπορείς να μου πεις πώς θα είναι ο καιρός τις επόμενες μέρες;',
  he: 'אתה יכול לומר לי איך יהיה מזג האוויר בימים הקרובים?',
  ar: 'هل يمكنك أن تخبرني كيف سيكون الطقس في الأيام القادمة في هذه المدينة؟',
  fa: 'آیا می‌توانید به من بگویید که هوا در روزهای آینده چگونه خواهد بود؟',
  ur: 'کیا آپ مجھے بتا سکتے ہیں کہ آنے والے دنوں میں موسم کیسا ہوگا؟',
  hi: 'क्या आप मुझे बता सकते हैं कि आने वाले दिनों में मौसम कैसा रहेगा?',
  bn: 'আপনি কি আমাকে বলতে পারেন আগামী দিনগুলিতে আবহাওয়া কেমন হবে?',
  ta: 'அடுத்த சில நாட்களில் வானிலை எப்படி இருக்கும் என்று சொல்ல முடியுமா?',
  th: 'คุณช่วยบอกฉันได้ไหมว่าอากาศในอีกไม่กี่วันข้างหน้าจะเป็นอย่างไร',
  ko: '앞으로 며칠 동안 날씨가 어떨지 알려줄 수 있나요?',
  ja: 'これから数日間の天気がどうなるか教えてください。',
  zh: '你能告诉我接下来几天的天气怎么样吗？',
}

const { en = '', fr = '', de = '' } = questions
const perLanguage = Object.entries(questions).flatMap(([code, text]): CheckRow[] => [
  {
    name: `${code}: passes`,
    parameters: { language: [code] },
    text,
    verdict: true,
    data: { found: [{ path: '/messages/0/content', estimate: code }], undecided: 0 },
  },
  {
    name: `${code}: fails another language`,
    parameters: { language: [code === 'en' ? 'fr' : 'en'] },
    text,
    verdict: false,
  },
])

const mixed = { model, messages: [user(en), user(fr)] }

export const rows = casesOf('language', [
  ...perLanguage,
  { name: 'takes codes of three letters', parameters: { language: ['deu'] }, text: de, verdict: true },
  {
    name: 'takes any language of the list',
    parameters: { language: ['en', 'fr'] },
    request: mixed,
    verdict: true,
  },
  {
    name: 'wants every text to be in one of them',
    parameters: { language: ['en'] },
    request: mixed,
    verdict: false,
  },
  {
    name: 'scope last: looks at the last message',
    parameters: { language: ['fr'], scope: 'last' },
    request: mixed,
    verdict: true,
  },
  {
    name: 'scope all: looks at all of them',
    parameters: { language: ['fr'], scope: 'all' },
    request: mixed,
    verdict: false,
  },
  {
    name: 'not: fails when one text is in the language',
    parameters: { language: ['fr'], not: true },
    request: mixed,
    verdict: false,
  },
  {
    name: 'not: passes when none is',
    parameters: { language: ['de'], not: true },
    request: mixed,
    verdict: true,
  },
  {
    name: 'leaves a few words undecided',
    parameters: { language: ['de'] },
    text: 'Hello',
    verdict: true,
    data: { found: [], undecided: 1 },
  },
  {
    name: 'leaves JSON undecided',
    parameters: { language: ['de'] },
    text: '{"the": "words of the world and all that is in it"}',
    verdict: true,
  },
  {
    name: 'detects the language of a long text by a sample',
    parameters: { language: ['en'] },
    text: `${en} `.repeat(200),
    verdict: true,
  },
  {
    name: 'refuses a language that it does not know',
    parameters: { language: ['xx'] },
    error: '/language/0',
  },
  { name: 'refuses an empty list', parameters: { language: [] }, error: '/language' },
])
