import { expect } from 'chai'
import { Config } from '../config/config.ts'
import { TempConfig } from '../config/fixtures/temp-config.ts'
import { gateRemarks } from './config-remarks.ts'

const PLUGINS = ['rtmp', 'flv', 'relay']
const EXPIRY =
  'both the signature and the signed policy read their expiry from "expire", one in hexadecimal and one in decimal: ' +
  'rename signed_policy.expire_query or expireargname'

/** What is odd in a file, for a server with some plugins. */
async function remarksOn(text: string): Promise<string[]> {
  await using temp = await TempConfig.create(text)
  const config = await Config.load({ file: temp.file, env: {}, inspect: gateRemarks })
  for (const name of PLUGINS) config.declare({ name })
  return config.warnings()
}

function idleKey(section: string, group: string, who: string): string {
  return (
    `${section}.${group}.key keeps nobody out, as enableauth is off: ` +
    `set ${section}.enableauth to true to ask ${who} for a signature`
  )
}

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['nothing', '', []],
  [
    'all gates',
    'global: {enableauth: true, publish: {key: k}, signed_policy: {enable: true, secret: s, expire_query: e}}',
    [],
  ],
  [
    'filters that name no protocol',
    'global: {signed_policy: {protocols: [rtpm, srt, relay]}}\nrelay: {admission_webhook: {protocols: [hls, smoke]}}',
    [
      "global.signed_policy.protocols: there is neither a protocol nor a plugin 'rtpm', did you mean 'rtmp'?",
      "relay.admission_webhook.protocols: there is neither a protocol nor a plugin 'smoke'",
    ],
  ],
  ['a key without enableauth', 'global: {publish: {key: k}}', [idleKey('global', 'publish', 'whoever publishes')]],
  [
    'keys without enableauth in two places',
    'global: {subscribe: {key: k}}\nrtmp: {publish: {key: k}}',
    [idleKey('global', 'subscribe', 'whoever plays'), idleKey('rtmp', 'publish', 'whoever publishes')],
  ],
  ['a key that a plugin uses', 'global: {publish: {key: k}}\nrtmp: {enableauth: true}', []],
  [
    'a key that no plugin uses, as each that checks has its own',
    'global: {publish: {key: k}}\nrtmp: {enableauth: true, publish: {key: other}}',
    [idleKey('global', 'publish', 'whoever publishes')],
  ],
  ['a plugin that does not check', 'global: {enableauth: true, publish: {key: k}}\nflv: {enableauth: false}', []],
  ['a key of a plugin that is off', 'rtmp: {enable: false, publish: {key: k}}', []],
  [
    'gates without what they need',
    'global: {signed_policy: {enable: true}, admission_webhook: {enable: true}}',
    [
      'global: signed_policy.enable has no effect without signed_policy.secret',
      'global: admission_webhook.enable has no effect without admission_webhook.url',
    ],
  ],
  [
    'a gate that a plugin takes the secret from',
    "global: {signed_policy: {enable: true, secret: s}}\nflv: {signed_policy: {secret: ''}}",
    ['flv: signed_policy.enable has no effect without signed_policy.secret'],
  ],
  [
    'an expiry name that two gates share',
    'global: {enableauth: true, publish: {key: k}, signed_policy: {enable: true, secret: s}}\nrtmp: {publish: {key: l}}',
    [`global: ${EXPIRY}`],
  ],
  [
    'an expiry name that a direction gives itself',
    'rtmp: {enableauth: true, publish: {key: k, expireargname: until}, signed_policy: {enable: true, secret: s, expire_query: until}}',
    [`rtmp: ${EXPIRY.replace('"expire"', '"until"')}`],
  ],
  [
    'an expiry name, signatures being off',
    'global: {publish: {key: ""}, signed_policy: {enable: true, secret: s}}',
    [],
  ],
  [
    'an expiry name, no direction having a key',
    'global: {enableauth: true, signed_policy: {enable: true, secret: s}}',
    [],
  ],
  [
    'an expiry name, the policy being off',
    'global: {enableauth: true, publish: {key: k}, signed_policy: {secret: s}}',
    [],
  ],
]

describe('remarks on the gates', () => {
  for (const [name, text, remarks] of cases) {
    it(`with ${name}: ${remarks.length}`, async () => expect(await remarksOn(text)).to.eql(remarks))
  }
})
