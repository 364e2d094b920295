/** Cases of the checks that look for JSON and code in answers: jsonKeys, containsCode. */
import { type CheckCase, casesOf } from '@gateway/testing'
import { answers } from './bodies.ts'

const keys = ['name', 'age']

const jsonKeys = casesOf('jsonKeys', [
  {
    name: 'any is the default: passes on one key',
    parameters: { keys },
    text: '{"age": 3}',
    verdict: true,
    data: { choices: [{ found: [1], missing: [0] }] },
  },
  {
    name: 'any: fails without a key',
    parameters: { keys, operator: 'any' },
    text: '{"size": 3}',
    verdict: false,
  },
  {
    name: 'all: passes on all keys',
    parameters: { keys, operator: 'all' },
    text: '{"age": 3, "name": null}',
    verdict: true,
  },
  {
    name: 'all: fails when one is missing',
    parameters: { keys, operator: 'all' },
    text: '{"age": 3}',
    verdict: false,
  },
  {
    name: 'none: passes without a key',
    parameters: { keys, operator: 'none' },
    text: '{"size": 3}',
    verdict: true,
  },
  {
    name: 'none: fails on one key',
    parameters: { keys, operator: 'none' },
    text: '{"age": 3}',
    verdict: false,
    data: { choices: [{ found: [1], missing: [0] }] },
  },
  {
    name: 'none: fails on a key in any block',
    parameters: { keys, operator: 'none' },
    text: '```json\n{}\n```\n```json\n{"age": 1}\n```',
    verdict: false,
  },
  {
    name: 'none: passes without JSON',
    parameters: { keys, operator: 'none' },
    text: 'name and age',
    verdict: true,
  },
  {
    name: 'fails without JSON',
    parameters: { keys },
    text: 'name and age',
    verdict: false,
    data: { choices: [{ found: [], missing: [0, 1] }] },
  },
  {
    name: 'looks at the object itself, not at deeper ones',
    parameters: { keys },
    text: '{"person": {"age": 3}}',
    verdict: false,
  },
  {
    name: 'does not take what every object has for a key',
    parameters: { keys: ['constructor'] },
    text: '{}',
    verdict: false,
  },
  {
    name: 'finds a fenced block',
    parameters: { keys },
    text: 'Here:\n```json\n{"age": 3}\n```',
    verdict: true,
  },
  {
    name: 'wants every choice to have them',
    parameters: { keys },
    phase: 'after',
    response: answers('{"age": 3}', '{}'),
    verdict: false,
  },
  { name: 'refuses an empty list', parameters: { keys: [] }, error: '/keys' },
])

const fenced = (code: string, label = '') => `Like this:\n\n\`\`\`${label}\n${code}\n\`\`\`\nThat is all.`

/** A few lines as a model would write them. */
const samples: Record<string, string> = {
  SQL: 'SELECT name, count(*)\nFROM users\nGROUP BY name;',
  Python: 'import os\n\ndef greet(name):\n    print(f"Hello {name}")',
  TypeScript: 'interface User {\n  name: string\n}\nconst user: User = load()',
  JavaScript: 'const greet = (name) => {\n  console.log(name)\n}',
  Java: 'public class Main {\n  public static void main(String[] args) {\n    System.out.println("hi");\n  }\n}',
  'C#': 'using System;\n\nnamespace Demo\n{\n  class Program { static void Main() => Console.WriteLine("hi"); }\n}',
  'C++': '#include <iostream>\n\nint main() {\n  std::cout << "hi";\n}',
  C: '#include <stdio.h>\n\nint main(void) {\n  printf("hi\\n");\n  return 0;\n}',
  Ruby: 'def greet(name)\n  puts "Hello #{name}"\nend',
  PHP: '<?php\n$name = "Ada";\necho $name;',
  Swift:
    'func greet(name: String) -> String {\n  guard let first = name.first else { return "" }\n  return "Hello"\n}',
  Kotlin: 'fun main() {\n  val names = listOf("Ada")\n  println(names)\n}',
  Go: 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hi")\n}',
  Rust: 'fn main() {\n    let mut count = 0;\n    println!("{}", count);\n}',
  Scala: 'case class User(name: String)\nobject Main extends App {\n}',
  R: 'scores <- c(1, 2, 3)\nmean(scores)',
  Perl: 'use strict;\nmy $name = shift;\nprint "Hello $name";',
  Shell: '#!/bin/bash\nset -e\nmkdir -p build\ncd build',
  HTML: '<div class="card">\n  <p>Hello</p>\n</div>',
  CSS: '.card {\n  color: red;\n  margin: 0;\n}',
  XML: '<?xml version="1.0"?>\n<note><to>Ada</to></note>',
  JSON: '{\n  "name": "Ada"\n}',
  YAML: 'services:\n  web:\n    image: nginx',
  Markdown: '# Title\n\nSome **bold** text.',
  Dockerfile: 'FROM node:20\nWORKDIR /app\nRUN npm ci\nCMD ["node", "main.js"]',
}

const labels: Record<string, string> = {
  Python: 'py',
  TypeScript: 'ts',
  JavaScript: 'jsx',
  'C#': 'csharp',
  'C++': 'cpp',
  Ruby: 'rb',
  Go: 'golang',
  Shell: 'bash',
  YAML: 'yml',
  Markdown: 'md',
}

const perLanguage: CheckCase[] = Object.entries(samples).flatMap(([format, code]) => [
  ...casesOf('containsCode', [
    {
      name: `${format}: passes on a block with its label`,
      parameters: { format },
      text: fenced('x', labels[format] ?? format.toLowerCase()),
      verdict: true,
    },
    {
      name: `${format}: passes on a block without a label`,
      parameters: { format },
      text: fenced(code),
      verdict: true,
    },
    {
      name: `${format}: fails on a block with another label`,
      parameters: { format },
      text: fenced(code, 'cobol'),
      verdict: false,
    },
    ...Object.entries(samples)
      .filter(([other]) => other !== format)
      .map(([other, foreign]) => ({
        name: `${format}: fails on ${other} without a label`,
        parameters: { format },
        text: fenced(foreign),
        verdict: false,
      })),
  ]),
])

const containsCode = casesOf(
  'containsCode',
  [
    {
      name: 'reports the position and the reason',
      text: 'a\n```sql\nx\n```\n```\nselect a from b\n```',
      verdict: true,
      data: {
        found: [
          { path: '/choices/0/message/content', start: 2, by: 'label' },
          { path: '/choices/0/message/content', start: 15, by: 'signs' },
        ],
      },
    },
    {
      name: 'not: fails on the language',
      parameters: { format: 'SQL', not: true },
      text: fenced('x', 'sql'),
      verdict: false,
    },
    {
      name: 'not: passes without it',
      parameters: { format: 'SQL', not: true },
      text: fenced('x', 'python'),
      verdict: true,
    },
    {
      name: 'accepts the label in any case, and text after it',
      text: fenced('x', 'SQL title="a"'),
      verdict: true,
    },
    { name: 'takes tildes for a fence', text: '~~~sql\nx\n~~~', verdict: true },
    { name: 'takes a block that is not closed', text: '```sql\nselect', verdict: true },
    {
      name: 'takes a label that names no language for none',
      text: fenced('select a from b', 'text'),
      verdict: true,
    },
    { name: 'does not look outside of blocks', text: 'select a from b', verdict: false },
    { name: 'does not take an empty block', text: fenced('', 'sql'), verdict: false },
    {
      name: 'looks at every choice',
      phase: 'after',
      response: answers('no', fenced('x', 'sql')),
      verdict: true,
    },
    { name: 'refuses a language that it does not know', parameters: { format: 'COBOL' }, error: '/format' },
  ],
  { parameters: { format: 'SQL' } },
)

export const rows: readonly CheckCase[] = [...jsonKeys, ...containsCode, ...perLanguage]
