/**
 * The words of injection phrases, in groups with the same meaning. A word may be in several groups; every character
 * that is not a letter separates words. Languages: English, German, French, Spanish, Italian, Portuguese, Dutch,
 * Polish, Russian and Turkish; those without spaces between words are in `unspaced.ts`.
 */
export const groups = {
  ignore:
    'ignore ignoring disregard disregarding forget neglect bypass override overrule overwrite skip discard ' +
    'ignoriere ignorieren ignorier ignoriert vergiss vergesst missachte verwirf ignorez ignorer oublie oubliez oublier ' +
    'ignora ignorar ignoren olvida olvide olvidar omite descarta dimentica dimenticate ignorate tralascia ' +
    'esqueça esquece desconsidere desconsidera negeer vergeet zignoruj ignoruj zapomnij pomiń ' +
    'игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте',
  prior:
    'previous previously prior above earlier preceding foregoing former initial original existing past ' +
    'vorherigen vorherige vorigen bisherigen bisherige obigen obige früheren ursprünglichen vorangegangenen ' +
    'précédentes précédente précédents antérieures initiales dessus anteriores previas anterior iniciales previos ' +
    'precedenti precedente iniziali acima prévias vorige eerdere voorgaande bovenstaande poprzednie poprzednich ' +
    'wcześniejsze powyższe предыдущие предыдущую прошлые прежние вышеуказанные önceki yukarıdaki',
  every:
    'all any every everything your yours these those alle allen jegliche deine deinen ihre sämtliche toutes tous tes ' +
    'vos todas todos tus sus tutte tutti tue suas seus jouw uw wszystkie wszystkich swoje все всё свои tüm bütün',
  instructions:
    'instruction instructions prompt prompts rule rules guideline guidelines direction directions directive directives ' +
    'order orders command commands programming constraints restrictions policies safeguards guardrails context ' +
    'anweisung anweisungen instruktion instruktionen regel regeln befehl befehle vorgaben richtlinien ' +
    'consigne consignes règle règles directives instrucción instrucciones regla reglas indicaciones órdenes ' +
    'istruzione istruzioni regole direttive instrução instruções regras ordens diretrizes instructies opdrachten ' +
    'instrukcje instrukcji polecenia zasady инструкции инструкцию указания правила команды ' +
    'talimatları talimatlari kuralları komutları talimat',
  turkishIgnore: 'yoksay unut görmezden say alma',
  told: 'told said learned learnt given known instructed above before previously gesagt dit dicho detto disse gezegd',
  totality: 'everything anything all alles tout todo tutto tudo wszystko всё',
  reveal:
    'reveal show print repeat output display tell leak expose dump disclose recite zeige zeig gib verrate nenne wiederhole montre montrez affiche ' +
    'affichez révèle révélez donne muestra muéstrame revela dime repite mostra mostrami rivela ripeti mostre revele ' +
    'toon laat onthul geef pokaż ujawnij wypisz покажи покажите выведи раскрой повтори göster yazdır',
  ask: 'what give provide list share copy translate summarize summarise state write',
  hidden:
    'system hidden initial original secret internal confidential developer underlying pre first starting ' +
    'systemprompt système initial sistema inicial iniciales sistema systeem systemowe systemowy системный системные sistem',
  own: 'your yours deine deinen dein ihren ihre ton tes votre vos tu tus su suas seu seus tuo tue tuoi jouw uw je swoje twoje твой твои свой свои',
  promptNoun:
    'prompt prompts instructions instruction preprompt directives systemprompt systemprompts ' +
    'systemanweisungen anweisungen consignes instrucciones istruzioni instruções instructies instrukcje промпт ' +
    'инструкции istemi komutu',
  verbatim: 'above before preceding verbatim beginning starting start foregoing',
  saying: 'repeat print output copy recite echo display write',
  words: 'everything all words word text content contents message messages',
  you: 'you u du sie tu vous usted voce você tu je jij ty ты вы sen',
  be: 'are re bist sind es êtes eres sos sei é jesteś',
  now: 'now henceforth jetzt nun maintenant désormais ahora adesso ora agora nu voortaan teraz теперь artık',
  new: 'new neue neuen nouvelles nouvelle nuevas nueva nuove nuova novas nova nieuwe nowe новые новая yeni',
  task: 'instructions instruction task tasks role persona identity rules objective goal aufgabe rolle anweisungen consignes rôle instrucciones tarea rol istruzioni compito instruções tarefa instructies taak instrukcje инструкции задача',
  following: 'your follow following these here are is must obey folge befolge suivez sigue segui siga volg',
  from: 'from ab à desde da a vanaf od с',
  on: 'on forward onwards',
  follow: 'follow obey adhere comply respect',
  not: 'not dont never no don t cannot cant can shouldn',
  disable:
    'disable deactivate remove bypass ignore override circumvent evade turn switch lift drop disregard without unlock',
  safety:
    'safety content ethical ethics moral morality security moderation censorship openai anthropic policy',
  limits:
    'filter filters guideline guidelines restriction restrictions policy policies guardrail guardrails limitation ' +
    'limitations limits rules protocols checks constraints censorship boundaries safeguards ethics morals',
  machine: 'ai assistant chatbot llm bot character persona dan',
  none: 'no without unrestricted unfiltered uncensored free zero ohne sans sin senza sem zonder bez без',
  lawless: 'unrestricted unfiltered uncensored evil jailbroken amoral unethical limitless unaligned unhinged',
  bonds:
    'restriction restrictions guidelines limitations limits rules ethics morals morality censorship filters boundaries',
  pretend: 'pretend act roleplay imagine simulate behave emulate play respond answer become',
  do: 'do',
  anythingWord: 'anything',
  dan: 'dan stan dude antigpt jailbreak jailbroken',
  mode: 'mode modus modo',
  modeName: 'developer dan god debug sudo admin jailbreak unrestricted maintenance root opposite dev',
  in: 'in into enter entering activate enable enabled activated as like to',
  jailbreak: 'jailbreak jailbreaking jailbroken',
  character: 'character role persona',
  stay: 'stay remain break leave drop',
  never: 'never always cannot must',
  refuse: 'refuse decline deny apologize disclaim warn comply obey',
  decode: 'decode decipher decrypt base rot hex unscramble dekodiere décode decodifica',
  execute: 'follow execute run obey perform comply answer do carry act',
  encodedNoun: 'message text string instructions instruction following result output code it base',
  call: 'call invoke use execute run trigger',
  tool: 'tool tools function functions plugin command commands shell script api',
  withoutWord: 'without silently secretly quietly immediately',
  asking: 'asking ask telling confirming confirmation permission approval notifying consent informing user',
  send: 'send post forward upload email transmit leak exfiltrate append submit sende envoie envía invia envie',
  loot: 'conversation chat history password passwords credentials secrets secret keys key token tokens prompt instructions emails cookies',
  to: 'to an à a naar do',
  address: 'http https url link webhook endpoint address attacker www server email',
  tell: 'tell mention reveal inform notify show say disclose alert warn',
  person: 'user users human humans anyone them him her person people owner operator',
  if: 'if when',
  hail: 'attention dear note important hey hello',
  reader: 'ai llm llms assistant assistants chatbot gpt bot',
  end: 'end ende fin fine fim einde',
  of: 'of the user this der des de la del van di do',
  section: 'prompt input instructions document context conversation message transcript data',
} as const satisfies Record<string, string>

export type Group = keyof typeof groups
