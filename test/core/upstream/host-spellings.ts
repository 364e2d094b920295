/** URLs and whether a gateway that trusts no host may connect to them, as far as can be known without DNS. */

type Row = [url: string, isAllowed: boolean]

const hosts = (isAllowed: boolean, list: readonly string[]): Row[] =>
  list.map((host) => [`http://${host}/v1`, isAllowed])

const urls = (isAllowed: boolean, list: readonly string[]): Row[] => list.map((url) => [url, isAllowed])

/** Spellings of 127.0.0.1 and its neighbours, ending with forms that only IDNA converts to digits. */
const loopback = [
  ...['127.0.0.1', '127.0.0.1:8080', '127.0.0.1.', '127.1', '127.0.1', '127.1.2.3', '127.255.255.254'],
  ...['2130706433', '2130706433.', '017700000001', '0x7f000001', '0X7F000001', '0x000000007f000001'],
  ...['0x7f.0.0.1', '0177.0.0.1', '0177.0.0.01', '0x7f.1', '0177.1', '127.0x1', '127.0.0x1', '000177.0.0.1'],
  ...[
    '%31%32%37.0.0.1',
    '127%2e0%2E0%2e1',
    '%30x7f000001',
    '127。0。0。1',
    '\uff11\uff12\uff17.\uff10.\uff10.\uff11',
    '127\uff0e0。0\uff0e1',
  ],
  ...['①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '0X7f.1', '127\u00ad.0.0.1'],
  ...['0', '0.0.0.0', '00', '0x0', '0.1.2.3', '0.0'],
]

const privateAddresses = [
  ...[
    '10.0.0.1',
    '10.255.255.255',
    '167772161',
    '012.1.2.3',
    '0xa.1',
    '10.1',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...['192.168.0.1', '192.168.257', '3232235777', '0xc0a80101', '0300.0250.1.1', '192.168.1.1.:9000'],
  ...['100.64.0.1', '100.127.255.255'],
]

const metadata = [
  ...[
    '169.254.169.254',
    '169.254.169.254.',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
  ],
  ...[
    '169.16689662',
    '0xa9.0xfe.0xa9.0xfe',
    '169.254.0.23',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ...[
    '168.63.129.16',
    '2822734096',
    '0xa83f8110',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[::ffff:168.63.129.16]',
  ],
  ...['metadata.google.internal', 'METADATA.Google.Internal', 'metadata.google.internal.', 'metadata。goog'],
  ...['metadata.goog', 'metadata', 'instance-data', 'metadata.tencentyun.com', 'metadata.azure.internal'],
]

const reserved = [
  ...['192.0.0.1', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '198.19.255.255', '224.0.0.1'],
  ...['239.255.255.250', '240.0.0.1', '255.255.255.255', '4294967295', '192.88.99.1', '192.175.48.1'],
]

const ipv6 = [
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]', '[::]'],
  ...['[fe80::1]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[FD12:3456::1]', '[ff02::1]', '[ff0e::1]'],
  ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[5f00::1]'],
  ...['[4000::1]', '[a000::1]', '[2620:4f:8000::1]'],
  // IPv6 addresses that contain an IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:10.0.0.1]'],
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[::7f00:1]', '[::8.8.8.8]'],
  ...['[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b::168.63.129.16]'],
  ...['[64:ff9b:1::10.0.0.1]', '[64:ff9b:1::8.8.8.8]', '[64:ff9b:1:7f00:0:100::]', '[2002:7f00:1::]'],
  ...['[2002:a00:1::1]', '[2002:808:808::1]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001::1]'],
  ...['[2600:1f14::5efe:10.0.0.1]', '[2600:1f14::200:5efe:127.0.0.1]', '[2600:1f14::5efe:a9fe:a9fe]'],
]

const localhost = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'api.localhost',
    'a.b.localhost.',
    'loc%61lhost',
  ],
  ...['ⓛocalhost', 'localhost:11434'],
]

/** Hosts that different parsers read differently; the gateway uses a single parser. */
const confusing: Row[] = [
  ['http://127.0.0.1#@8.8.8.8/', false],
  ['http://127.0.0.1?@8.8.8.8/', false],
  ['http://127.0.0.1\\@8.8.8.8/', false],
  ['http://8.8.8.8\\@127.0.0.1/', true],
  ['http://8.8.8.8#@127.0.0.1/', true],
  ['http://8.8.8.8@127.0.0.1/', false],
  ['http://127.0.0.1@8.8.8.8/', false],
  ['http://user:secret@api.example.com/', false],
  ['http:/127.0.0.1/', false],
  ['http:127.0.0.1', false],
  ['http:////127.0.0.1/', false],
  ['http:\\\\127.0.0.1\\v1', false],
  ['  http://127.0.0.1/  ', false],
  ['ht\ntp://127.0.\t0.1/', false],
  ['HTTPS://127.0.0.1/', false],
]

const notUsable = [
  ...['', 'api.example.com', '//api.example.com/v1', 'http://', 'http://./', 'http://a b/', 'http://[::1'],
  ...[
    'http://1.2.3.4.5/',
    'http://256.1.1.1/',
    'http://08.8.8.8/',
    'http://8.8.8.8:99999/',
    'http://[1::2::3]/',
  ],
  ...['http://[fe80::1%25eth0]/', 'http://[::1%25lo]/', 'http://[127.0.0.1]/', 'http://4294967296/'],
  ...['ftp://8.8.8.8/', 'ws://8.8.8.8/', 'file:///etc/passwd', 'unix:/var/run/docker.sock', 'data:,x'],
  ...['gopher://8.8.8.8/', 'blob:http://8.8.8.8/', 'javascript:alert(1)'],
]

const publicHosts = [
  ...['8.8.8.8', '1.1.1.1:8443', '134744072', '0x08080808', '010.010.010.010', '8.8.2056', '9.255.255.255'],
  ...['11.0.0.0', '126.255.255.255', '128.0.0.1', '100.63.255.255', '100.128.0.0', '169.253.255.255'],
  ...['169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
  ...['198.20.0.0', '223.255.255.255', '168.63.129.15', '168.63.129.17'],
  ...['[2606:4700:4700::1111]', '[2A00:1450:4001::200e]', '[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]'],
  ...['[2600:1f14::5efe:8.8.8.8]'],
  // Names, whose addresses are known only after DNS resolution.
  ...['api.example.com', 'vllm:8000', 'localhost.example.com', 'notlocalhost', '127.0.0.1.example.com'],
  ...['0x7f000001.example.com', 'metadata.example.com', 'xn--bcher-kva.example', 'api.example.com.'],
]

export const spellings: readonly Row[] = [
  ...hosts(false, [...loopback, ...privateAddresses, ...metadata, ...reserved, ...ipv6, ...localhost]),
  ...confusing,
  ...urls(false, notUsable),
  ...hosts(true, publicHosts),
  ['https://api.example.com/v1?x=1', true],
]
