/**
 * Recognises code of a language: by the labels of fenced blocks, or in blocks without a label by a few patterns that
 * are common in that language and rare elsewhere. The patterns are a small rule set, not a parser: short blocks and
 * related languages (C and C++, Java and C#) are distinguished only as far as their usual first lines differ.
 */

export interface CodeFormat {
  /** Labels of fenced blocks, in lower case. */
  labels: readonly string[]
  /** RE2 patterns, one of which suffices. */
  signs: readonly string[]
  /** RE2 patterns that indicate another language. */
  others?: readonly string[]
}

const scriptTypes = '(string|number|boolean|void|unknown|any|Promise<)'

export const codeFormats = {
  SQL: {
    labels: ['sql', 'mysql', 'postgres', 'postgresql', 'pgsql', 'plsql', 'sqlite', 'tsql'],
    signs: [
      '(?i)\\bselect\\b[\\s\\S]*\\bfrom\\b',
      '(?i)\\b(insert\\s+into|delete\\s+from|update\\s+\\S+\\s+set|(create|alter|drop)\\s+(table|view|index|database))\\b',
    ],
  },
  Python: {
    labels: ['python', 'py', 'python3', 'py3', 'ipython', 'pycon'],
    signs: [
      '(?m)^\\s*(async\\s+)?def\\s+\\w+\\(.*\\)(\\s*->.*)?:',
      '(?m)^\\s*(class\\s+\\w+(\\(.*\\))?|elif\\s.+|except(\\s.*)?|for\\s+\\w+\\s+in\\s.+):\\s*$',
      '(?m)^\\s*(from\\s+[\\w.]+\\s+import\\s+\\w|import\\s+\\w+\\s+as\\s+\\w+\\s*$)',
      '(?m)^\\s*(import\\s+(os|sys|re|json|math|time|random|datetime)\\s*$|print\\(.*\\)\\s*$)',
    ],
    others: ['\\b(func|fun|let|var|val)\\s'],
  },
  TypeScript: {
    labels: ['typescript', 'ts', 'tsx', 'mts', 'cts'],
    signs: [
      '(?m)^\\s*(export\\s+)?(declare\\s+)?(interface\\s+\\w+(<.*>)?(\\s+extends\\s.*)?\\s*\\{|type\\s+\\w+(<.*>)?\\s*=)',
      '\\b(const|let|var)\\s+\\w+\\s*:\\s*[\\w{(\\[]',
      `[\\w)]\\??\\s*:\\s*${scriptTypes}`,
    ],
    others: ['(?m)^\\s*(package\\s|public\\s|fn\\s|func\\s)', ':\\s*(Int|String|Bool)\\b'],
  },
  JavaScript: {
    labels: ['javascript', 'js', 'jsx', 'mjs', 'cjs', 'node', 'ecmascript'],
    signs: [
      '(?m)^\\s*(export\\s+)?(const|let|var)\\s+[\\w{\\[$]',
      '(?m)^\\s*(export\\s+(default\\s+)?)?(async\\s+)?function\\s*\\w*\\(.*\\)\\s*\\{',
      '\\bconsole\\.log\\(|\\brequire\\([\'"]|\\bdocument\\.\\w+|\\)\\s*=>|\\bmodule\\.exports\\b',
      '(?m)^\\s*import\\s.*\\sfrom\\s+[\'"]',
    ],
    others: [
      `[\\w)]\\??\\s*:\\s*${scriptTypes}`,
      '(?m)^\\s*(interface|type)\\s+\\w+',
      '(?m)^\\s*(using|namespace|package|public)\\s|<\\?php|\\blet\\s+mut\\b|\\b(fn|func|fun)\\s+\\w+|:\\s*(Int|String|Bool)\\b|\\$\\w+\\s*=',
    ],
  },
  Java: {
    labels: ['java'],
    signs: [
      '(?m)^\\s*(public|private|protected)\\s+((static|final|abstract)\\s+)*(class|interface|enum|record|void|int|boolean|String)\\b',
      '\\bSystem\\.out\\.print|(?m:^\\s*import\\s+(static\\s+)?(javax?|org|com)\\.[\\w.*]+;)',
    ],
    others: ['(?m)^\\s*(using|namespace)\\s', '\\bConsole\\.|\\bstring\\b|\\bget;|<\\?php|\\$\\w+'],
  },
  'C#': {
    labels: ['c#', 'csharp', 'cs', 'dotnet'],
    signs: [
      '(?m)^\\s*(using\\s+(static\\s+)?[A-Z][\\w.]*;|namespace\\s+[A-Z][\\w.]*\\s*[;{]?\\s*$)',
      '\\bConsole\\.(Write|Read)|\\{\\s*get;|\\basync\\s+Task\\b',
    ],
    others: ['#include'],
  },
  'C++': {
    labels: ['c++', 'cpp', 'cxx', 'cc', 'hpp', 'hxx'],
    signs: [
      '#include\\s*<(iostream|vector|string|map|set|memory|algorithm|functional|utility|thread|chrono|optional|array)>',
      '\\bstd::\\w|\\busing\\s+namespace\\s+\\w|\\b(cout|cerr)\\s*<<|(?m:^\\s*template\\s*<)',
    ],
  },
  C: {
    labels: ['c', 'h'],
    signs: [
      '#include\\s*[<"][\\w/]+\\.h[>"]',
      '\\bint\\s+main\\s*\\(|\\b(malloc|calloc|sizeof)\\s*\\(|\\btypedef\\s+struct\\b|(?m:^\\s*#define\\s+\\w)',
    ],
    others: [
      '\\bstd::|\\busing\\s+namespace\\b|\\b(cout|cerr)\\s*<<|(?m:^\\s*(template\\s*<|class\\s))|#include\\s*<\\w+>',
    ],
  },
  Ruby: {
    labels: ['ruby', 'rb', 'irb'],
    signs: [
      '(?m)^\\s*def\\s+[\\w.?!=]+(\\(.*\\))?\\s*$',
      '(?m)^\\s*(puts\\s|require(_relative)?\\s+[\'"]|attr_(accessor|reader|writer)\\s|module\\s+[A-Z]\\w*\\s*$)',
      '\\bdo\\s*\\|[^|\\n]*\\|',
    ],
  },
  PHP: {
    labels: ['php'],
    signs: ['<\\?(php|=)|\\$this->|\\$\\w+->\\w', '(?m)^\\s*\\$\\w+\\s*=[^=].*;\\s*$'],
    others: ['(?m)^\\s*(my|our)\\s|\\buse\\s+strict\\b'],
  },
  Swift: {
    labels: ['swift'],
    signs: [
      '(?m)^\\s*import\\s+(Foundation|UIKit|SwiftUI|Combine|AppKit)\\s*$',
      '\\b(guard|if)\\s+let\\s|\\bfunc\\s+\\w+\\(.*\\)(\\s+throws)?\\s*(->\\s*\\S+\\s*)?\\{',
      '\\b(let|var)\\s+\\w+\\s*:\\s*\\[?(Int|String|Bool|Double|Float)\\b',
    ],
    others: ['(?m)^\\s*package\\s+\\w|:=|\\bfmt\\.|;\\s*$'],
  },
  Kotlin: {
    labels: ['kotlin', 'kt', 'kts'],
    signs: [
      '\\bfun\\s+(<.*>\\s*)?([\\w<>]+\\.)?\\w+\\(|\\bdata\\s+class\\s|\\bcompanion\\s+object\\b',
      '\\bval\\s+\\w+(\\s*:\\s*\\w+)?\\s*=\\s*(listOf|mapOf|mutableListOf|arrayOf)\\b',
    ],
  },
  Go: {
    labels: ['go', 'golang'],
    signs: [
      '(?m)^\\s*package\\s+\\w+\\s*$|^\\s*(\\w+,\\s*)*\\w+\\s*:=\\s',
      '\\bfunc\\s+\\(\\w+\\s+\\*?\\w+\\)|\\bfmt\\.(Print|Sprint|Errorf)|(?m:^\\s*type\\s+\\w+\\s+(struct|interface)\\s*\\{)',
      '(?m)^\\s*func\\s+\\w+\\(.*\\)\\s*(\\w+\\s*)?\\{',
    ],
    others: ['->|\\blet\\s'],
  },
  Rust: {
    labels: ['rust', 'rs'],
    signs: [
      '\\bfn\\s+\\w+(<.*>)?\\(.*\\)|\\blet\\s+mut\\s|\\bprintln!\\(|#\\[derive\\(',
      '(?m)^\\s*(use\\s+(std|crate|super)::|impl(<.*>)?\\s+\\w|pub\\s+(fn|struct|enum|mod)\\s)',
    ],
  },
  Scala: {
    labels: ['scala', 'sc'],
    signs: [
      '\\bcase\\s+class\\s|\\bobject\\s+\\w+(\\s+extends\\s+\\w+)?\\s*[{:]|(?m:^\\s*import\\s+scala\\.)',
      '(?m)^\\s*def\\s+\\w+(\\[.*\\])?(\\(.*\\))?\\s*:\\s*[A-Z][\\w\\[\\], ]*=',
    ],
    others: ['\\bcompanion\\s+object\\b|\\bfun\\s'],
  },
  R: {
    labels: ['r', 'rlang', 'rscript'],
    signs: ['(?m)^\\s*[A-Za-z][\\w.]*\\s*<-\\s*\\S', '(?m)^\\s*library\\(\\w+\\)|%>%|\\bdata\\.frame\\('],
  },
  Perl: {
    labels: ['perl', 'pl', 'pm'],
    signs: [
      '(?m)^\\s*(use\\s+(strict|warnings)\\b|(my|our)\\s+[($@%]\\s*\\w)',
      '#!.*\\bperl\\b|=~\\s*(m|s|tr)?/',
    ],
  },
  Shell: {
    labels: ['shell', 'sh', 'bash', 'zsh', 'ksh', 'fish', 'shellscript', 'shell-session', 'console'],
    signs: [
      '#!.*\\b(sh|bash|zsh|ksh|dash)\\b|(?m:^\\s*\\$\\s+\\w)',
      '(?m)^\\s*(sudo|apt|apt-get|brew|cd|mkdir|chmod|chown|curl|wget|git|npm|npx|pip|pip3|docker|kubectl|ssh|tar)\\s+\\S',
      '(?m)^\\s*(ls|rm|cp|mv|grep|cat)\\s+[-./~*]|^\\s*(export\\s+\\w+=|echo\\s+["$\']|if\\s+\\[|done\\s*$|fi\\s*$)',
    ],
    others: ['<\\?php|;\\s*\\?>'],
  },
  HTML: {
    labels: ['html', 'htm', 'xhtml', 'html5'],
    signs: [
      '(?i)<!doctype\\s+html|<(html|head|body|div|span|p|a|ul|ol|li|table|form|h[1-6]|img|button)(\\s[^<>]*)?/?>',
    ],
  },
  CSS: {
    labels: ['css', 'scss', 'sass', 'less'],
    signs: ['\\{\\s*(--)?[a-z][a-z-]*\\s*:\\s*[^;{}\\n]+;', '@(media|import|font-face|keyframes)\\b'],
    others: ['\\b(interface|type|function|const|let|var|class|namespace|public)\\s|=>|#include|::'],
  },
  XML: {
    labels: ['xml', 'xsl', 'xslt', 'xsd', 'svg', 'rss', 'plist'],
    signs: [
      '<\\?xml\\s|\\sxmlns(:\\w+)?=',
      '(?m)^\\s*<[A-Za-z][\\w:.-]*(\\s[^<>]*)?>[\\s\\S]*</[A-Za-z][\\w:.-]*>\\s*$',
    ],
    others: ['(?i)<!doctype\\s+html|<(html|head|body|div|span|p|a|ul|ol|li|table|form|h[1-6])(\\s[^<>]*)?>'],
  },
  // Without a label, a block is JSON if it can be parsed.
  JSON: { labels: ['json', 'jsonc', 'json5', 'jsonl', 'ndjson', 'geojson'], signs: [] },
  YAML: {
    labels: ['yaml', 'yml'],
    signs: ['(?m)^---\\s*$', '(?m)^[\\w-]+:\\s*(\\S.*)?\\n(\\s+(-\\s|[\\w-]+:\\s)|[\\w-]+:\\s)'],
    others: ['(?m)[{};]\\s*$'],
  },
  Markdown: {
    labels: ['markdown', 'md', 'mdx', 'gfm'],
    signs: [
      '(?m)^#{1,6}\\s+\\S.*\\n\\s*\\n|^\\s*[-*]\\s+\\S.*\\n\\s*[-*]\\s+\\S|^\\|.*\\|\\s*\\n\\|[\\s:|-]+\\|',
      '\\[[^\\]\\n]+\\]\\([^)\\n]+\\)',
    ],
    others: ['(?m)^\\s*(def|import|class|sudo|echo|export|FROM|[\\w-]+:)\\s'],
  },
  Dockerfile: {
    labels: ['dockerfile', 'docker', 'containerfile'],
    signs: [
      '(?m)^FROM\\s+\\S+(\\s+AS\\s+\\S+)?\\s*$',
      '(?m)^(ENTRYPOINT|CMD|WORKDIR|COPY|RUN|EXPOSE)\\s+\\S',
    ],
    others: ['(?i)\\bselect\\b'],
  },
} satisfies Record<string, CodeFormat>

export type CodeFormatName = keyof typeof codeFormats
