/**
 * Features that distinguish languages of one script: their most common small words, letters that few others have, and
 * word endings. Written by hand and small: reliable for a few sentences, not for a few words.
 */

export interface LanguageProfile {
  /** ISO 639 codes of two and of three letters. */
  codes: readonly [string, string]
  words: string
  letters?: string
  endings?: string
}

export const latin: readonly LanguageProfile[] = [
  {
    codes: ['en', 'eng'],
    words:
      'the and of to is in it you that was for on are with as his they be at this have from or had by but what all ' +
      'were we when your can said there use an each which she do how their if will up about out many then them these ' +
      'would has my could been who its now did get me please i',
    endings: 'ing ould tion ness ght ious',
  },
  {
    codes: ['es', 'spa'],
    words:
      'de la que el en y los se del las un por con no una su para es al lo como más pero sus le ya o este sí porque ' +
      'esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante estados uno ni contra ' +
      'ese eso ante ellos e esto mí antes algunos qué unos yo otro cómo está puedes',
    letters: 'ñ¿¡áíóú',
    endings: 'ción idad iendo ando ado ado aba',
  },
  {
    codes: ['fr', 'fra'],
    words:
      'de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son mais ' +
      'comme ou si leur y dont tout nous sa fait été aussi même ces elle je vous sans peut cette deux tu lui mon être ' +
      'quel quelle où très bien était ont aux',
    letters: 'èêçàùœîôûë',
    endings: 'ment eux aient ait que ité',
  },
  {
    codes: ['de', 'deu'],
    words:
      'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat ' +
      'dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis ' +
      'mehr durch man sein wurde sei ich wir ihr was wenn kann mir du bitte bin bist',
    letters: 'äöüß',
    endings: 'ung keit lich isch chen heit',
  },
  {
    codes: ['it', 'ita'],
    words:
      'di che e la il un a per in una mi sono ho non ma lo ha le si ti i con cosa se io come da ci no questo qui hai ' +
      'sei del bene tu sì me più al mio perché lei solo te era gli tutto della così mia ne questa fare quando ora fatto ' +
      'essere nel alla delle degli anche dei quale è',
    letters: 'àèìòù',
    endings: 'ione ente ità endo ando ono',
  },
  {
    codes: ['pt', 'por'],
    words:
      'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ' +
      'ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus ' +
      'quem nas me esse eles você essa num nem suas meu às minha qual são',
    letters: 'ãõçêâ',
    endings: 'ção ções dade ndo ente',
  },
  {
    codes: ['nl', 'nld'],
    words:
      'de het een en van ik te dat die in je is niet zijn op aan met als voor had er maar om hem dan zou of wat mijn men ' +
      'dit zo door over ze zich bij ook tot na naar wordt werd uit heeft hebben der was geen kan meer nog wel moet ' +
      'deze wij hij zij hoe waar kunt',
    endings: 'ijk heid eren aar ijn',
  },
  {
    codes: ['sv', 'swe'],
    words:
      'och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när år ' +
      'säger under också efter eller nu sin där vid mot ska skulle kommer ut får finns vara hade alla andra mycket än ' +
      'här då sedan över bara hur vad mig din',
    letters: 'åäö',
    endings: 'ning ande lig het arna erna',
  },
  {
    codes: ['da', 'dan'],
    words:
      'og i at det er en til af på for med den der de ikke som et har han om fra men var jeg sig vi kan så år siger ' +
      'efter eller nu sin ved skal ville kommer ud får være havde alle andre meget end her da over kun hvad hvordan mig ' +
      'din blev også mod op noget af hvor',
    letters: 'æøå',
    endings: 'ning ende lig hed erne tion',
  },
  {
    codes: ['no', 'nor'],
    words:
      'og i at det er en til av på for med den som de ikke et har han om fra men var jeg seg vi kan så år sier etter ' +
      'eller nå sin ved skal ville kommer ut får være hadde alle andre mye enn her da over bare hva hvordan meg din ble ' +
      'også mot opp noe blir dette hvor',
    letters: 'æøå',
    endings: 'ning ende lig het ene sjon',
  },
  {
    codes: ['fi', 'fin'],
    words:
      'ja on ei se että oli hän joka ovat mutta myös kun niin mitä kuin tai en jos olen sen vain nyt minä sinä mikä ' +
      'ole ollut voi sitä tämä nämä hänen jo vielä sekä kanssa mukaan koska missä miten siitä he me te kaikki olla ' +
      'tämän niitä joiden',
    letters: 'äö',
    endings: 'ssa ssä sta stä lla llä inen vat vät ksi tta ttä lle nen',
  },
  {
    codes: ['pl', 'pol'],
    words:
      'w i na z do nie się to że jest o jak po co ale za od tak przez dla są był już tylko jego może czy który która ' +
      'które być było przed ich także też tym tego ten ta ja ty my jej mnie mi pan gdy lub oraz przy pod bardzo jeszcze ' +
      'jako aby proszę',
    letters: 'ąęłśźżćń',
    endings: 'ego ach ych ości anie ów owa emu',
  },
  {
    codes: ['cs', 'ces'],
    words:
      'a se v na je že to s z do i o ve jsem si ale jako za pro by co jak tak po už jeho které který která nebo být ' +
      'není jsou byl byla bylo jen když od při jste jsme můžete můj ten ta také než před pak aby mezi podle však jeho ' +
      'ještě máte prosím kde',
    letters: 'ěščřžýů',
    endings: 'ého ých ání ost ovat ích ení ému',
  },
  {
    codes: ['ro', 'ron'],
    words:
      'și de în a la cu nu pe o că un este din mai care se au pentru ce sau fi am sunt ca prin dar după fost dacă ei ' +
      'lui ale al ne unui unei această acest cele cea cel lor foarte putea poate când unde cum eu tu noi voi el ea îl ' +
      'să',
    letters: 'ăâîșțşţ',
    endings: 'ului ilor ește ație ilor ând',
  },
  {
    codes: ['hu', 'hun'],
    words:
      'a az és hogy nem is egy van meg de volt ez csak már el mint ha még ki kell vagy mert azt be le fel én te ő mi ' +
      'lesz lehet minden most aki ami amely azonban nagyon után között majd pedig itt ott hogyan miért neki nekem vannak ' +
      'volna kérem',
    letters: 'őűáéíóúöü',
    endings: 'ban ben nak nek ság ség ott ett val vel',
  },
  {
    codes: ['tr', 'tur'],
    words:
      've bir bu da de için ile çok olarak ne daha gibi kadar ama var mı mi sonra ben en o şey her değil olan oldu ' +
      'olduğu ki sen biz siz onlar nasıl neden kim ya veya hem ise bana sana onun benim çünkü diye zaman önce şimdi ' +
      'göre olan lütfen nerede',
    letters: 'ğışç',
    endings: 'lar ler yor lık lik dır dir mak mek ması mesi',
  },
  {
    codes: ['vi', 'vie'],
    words:
      'và của là có không được một cho người trong với các những này khi đã để tôi bạn anh chị em thì mà như từ về ở ' +
      'ra vào cũng nhưng sẽ hay nếu vì nào gì rất nhiều năm phải đến làm theo tại còn hơn',
    letters: 'ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ',
  },
  {
    codes: ['id', 'ind'],
    words:
      'yang dan di dari untuk dengan ini itu tidak dalam pada adalah akan juga saya ke karena tersebut oleh ada atau ' +
      'bisa sudah kita mereka telah sebagai lebih anda seperti dia kami banyak dapat saat hanya bagaimana apa apakah ' +
      'menjadi tahun orang satu harus masih para',
    endings: 'kan nya lah kah ngan',
  },
]

export const cyrillic: readonly LanguageProfile[] = [
  {
    codes: ['ru', 'rus'],
    words:
      'и в не на я что он с как это а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня ' +
      'еще нет о из ему теперь когда даже ну если уже или быть был чтобы для мы их чем была есть при',
    letters: 'ыэё',
    endings: 'ого ать ить ться ция ние ость ный',
  },
  {
    codes: ['uk', 'ukr'],
    words:
      'і в не на я що він з як це а то все вона так його але та ти до у ж ви за б по тільки її мені було від мене ще ' +
      'немає про із йому коли навіть якщо вже або бути був щоб для ми їх ніж була є при',
    letters: 'іїєґ',
    endings: 'ого ати ити ться ція ння ість ний',
  },
  {
    codes: ['bg', 'bul'],
    words:
      'и в не на аз че той с как това а то все тя така него но да ти към у вие за би по само ми беше от мен още няма ' +
      'са е се ще който която които като ако вече или бъде при след един една съм какво къде',
    letters: 'ъщ',
    endings: 'ите ата ето ост ство ния',
  },
  {
    codes: ['sr', 'srp'],
    words:
      'и у је да се на су за од са који која које као или али не што ће би био била није само све како где',
    letters: 'јљњћђџ',
    endings: 'ање ост ити ају',
  },
]

export const arabic: readonly LanguageProfile[] = [
  {
    codes: ['ar', 'ara'],
    words:
      'في من على إلى أن هذا التي الذي هذه عن مع كان ما لا هو هي ذلك قد أو كل بعد بين لم كيف هل ثم كما لكن',
    letters: 'ةىأإك',
  },
  {
    codes: ['fa', 'fas'],
    words:
      'و در به از که این را با است آن برای یک های می شود شده خود تا بر کرد هم ما او اما اگر چه چیست هستند بود',
    letters: 'پچژگ',
  },
  {
    codes: ['ur', 'urd'],
    words: 'کے میں کی ہے اور سے کا کو اس نے پر یہ ہیں کہ ایک بھی کر تھا جو نہیں وہ کیا ہو تو گیا لیے ہم آپ',
    letters: 'ٹڈڑںےہھ',
  },
]

export const devanagari: readonly LanguageProfile[] = [
  { codes: ['hi', 'hin'], words: 'के है में की से को का और पर हैं यह ने कि भी एक नहीं इस तो लिए जो था वह हो क्या कैसे' },
  { codes: ['mr', 'mar'], words: 'आहे आणि या च्या ते हे ही तो मध्ये आहेत होते नाही काय कसे मी तू आम्ही होता केले' },
]

/** Languages that a script alone identifies, with the range of its letters. */
export const scripts: readonly { codes: readonly [string, string]; from: number; to: number }[] = [
  { codes: ['el', 'ell'], from: 0x370, to: 0x3ff },
  { codes: ['hy', 'hye'], from: 0x531, to: 0x587 },
  { codes: ['he', 'heb'], from: 0x5d0, to: 0x5ea },
  { codes: ['bn', 'ben'], from: 0x980, to: 0x9ff },
  { codes: ['pa', 'pan'], from: 0xa00, to: 0xa7f },
  { codes: ['gu', 'guj'], from: 0xa80, to: 0xaff },
  { codes: ['ta', 'tam'], from: 0xb80, to: 0xbff },
  { codes: ['te', 'tel'], from: 0xc00, to: 0xc7f },
  { codes: ['kn', 'kan'], from: 0xc80, to: 0xcff },
  { codes: ['ml', 'mal'], from: 0xd00, to: 0xd7f },
  { codes: ['th', 'tha'], from: 0xe00, to: 0xe7f },
  { codes: ['ka', 'kat'], from: 0x10a0, to: 0x10ff },
  { codes: ['ko', 'kor'], from: 0xac00, to: 0xd7a3 },
]
