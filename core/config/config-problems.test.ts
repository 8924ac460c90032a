import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../test/support/soak.ts'
import { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import { configErrorOf, configOf, problemLines, RELAY, TempConfig } from './fixtures/temp-config.ts'

async function problemsOf(text: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  return problemLines(await configErrorOf(async () => (await configOf(text, env)).declare(RELAY)))
}

const DURATION = "a duration such as '500ms', '10s' or '1h30m' (at most 24 days)"
const ADDRESS = "an address such as ':1935', '127.0.0.1:1935' or '[::1]:1935'"

const CASES: { name: string; text: string; problems: string[] }[] = [
  {
    name: 'an unknown key with a name near it',
    text: 'relay:\n  tcp:\n    nodelay: true\n  chunksiez: 5\n',
    problems: ["config.yaml:4:3: relay.chunksiez: unknown key, did you mean 'chunksize'?"],
  },
  {
    name: 'a known key in the wrong place',
    text: 'relay:\n  nodelay: true\n',
    problems: ["config.yaml:2:3: relay.nodelay: unknown key, did you mean 'tcp.nodelay'?"],
  },
  {
    name: 'an unknown key like no other',
    text: 'global:\n  publish:\n    zzzzzz: true\n',
    problems: ['config.yaml:3:5: global.publish.zzzzzz: unknown key'],
  },
  {
    name: 'a word for an integer',
    text: 'relay: {chunksize: big}',
    problems: ["config.yaml:1:9: relay.chunksize: expected an integer from 128 to 65536, found 'big'"],
  },
  {
    name: 'an integer in quotes, since the file can say it without',
    text: "relay: {chunksize: '1024'}",
    problems: ["config.yaml:1:9: relay.chunksize: expected an integer from 128 to 65536, found '1024'"],
  },
  {
    name: 'an integer out of bounds',
    text: 'relay: {chunksize: 1}',
    problems: ['config.yaml:1:9: relay.chunksize: expected an integer from 128 to 65536, found 1'],
  },
  {
    name: 'a word for a boolean',
    text: 'global: {enable_auth: yes}',
    problems: ["config.yaml:1:10: global.enableauth: expected true or false, found 'yes'"],
  },
  {
    name: 'a duration without sense',
    text: 'relay: {linger: soon}',
    problems: [`config.yaml:1:9: relay.linger: expected ${DURATION}, found 'soon'`],
  },
  {
    name: 'a duration over its maximum',
    text: 'global: {subscribe: {writemerge: 351ms}}',
    problems: [
      "config.yaml:1:22: global.subscribe.writemerge: expected 'auto' or a duration such as '100ms', at most 350ms, " +
        "found '351ms'",
    ],
  },
  {
    name: 'a size without sense',
    text: 'global: {subscribe: {queuesize: much}}',
    problems: ["config.yaml:1:22: global.subscribe.queuesize: expected a size such as '512KB' or '4MB', found 'much'"],
  },
  {
    name: 'a bare port, also in place of the group',
    text: 'relay:\n  tcp: 1935\n',
    problems: [`config.yaml:2:3: relay.tcp.listenaddr: expected ${ADDRESS}, found 1935`],
  },
  {
    name: 'none of the choices',
    text: 'global: {subscribe: {submode: 4, waittrack: sound}}',
    problems: [
      'config.yaml:1:22: global.subscribe.submode: expected 0, 1, 2 or 3, found 4',
      "config.yaml:1:34: global.subscribe.waittrack: expected 'video', 'audio' or 'all', found 'sound'",
    ],
  },
  {
    name: 'nothing where a value is due',
    text: 'relay:\n  chunksize:\n',
    problems: ['config.yaml:2:3: relay.chunksize: expected an integer from 128 to 65536, found nothing'],
  },
  {
    name: 'a list for a value, and a map for a list',
    text: 'relay: {linger: [1s], nicknames: {a: b}}',
    problems: [
      `config.yaml:1:9: relay.linger: expected ${DURATION}, found a list`,
      'config.yaml:1:23: relay.nicknames: expected a list, found a map',
    ],
  },
  {
    name: 'an element of a list',
    text: 'global:\n  signed_policy:\n    actions:\n      - publish\n      - watch\n',
    problems: ["config.yaml:5:9: global.signed_policy.actions[1]: expected 'publish' or 'play', found 'watch'"],
  },
  {
    name: 'within a map whose keys the user chooses',
    text: 'relay:\n  pull:\n    live/a: {retryinterval: x, ulr: y}\n',
    problems: [
      'config.yaml:3:5: relay.pull.live/a.url: is missing',
      `config.yaml:3:14: relay.pull.live/a.retryinterval: expected ${DURATION}, found 'x'`,
      "config.yaml:3:32: relay.pull.live/a.ulr: unknown key, did you mean 'url'?",
    ],
  },
  {
    name: 'a missing key of an entry',
    text: 'relay:\n  pull:\n    live/a: {}\n',
    problems: ['config.yaml:3:5: relay.pull.live/a.url: is missing'],
  },
  {
    name: 'a scalar for a section whose first key is no text',
    text: 'relay: false\n',
    problems: ['config.yaml:1:1: relay: expected a map, found a boolean'],
  },
  {
    name: 'a key in two spellings',
    text: 'global:\n  enableauth: true\n  enable_auth: false\n',
    problems: ['config.yaml:3:3: global.enable_auth: is given twice'],
  },
  {
    name: 'a key of a map twice',
    text: 'relay:\n  pull:\n    live/a: {url: http://a}\n    live/b: {url: http://b}\n    live/a: {url: http://c}\n',
    problems: ['config.yaml:5:5: relay.pull.live/a: is given twice'],
  },
  {
    name: 'a key twice',
    text: 'relay:\n  linger: 1s\n  linger: 1s\n',
    problems: ['config.yaml:3:3: relay.linger: is given twice'],
  },
  {
    name: 'a section in two spellings',
    text: 'Relay: {}\nrelay: {}\n',
    problems: ['config.yaml:2:1: relay: is given twice'],
  },
  { name: 'a list of sections', text: '- relay\n', problems: ['config.yaml:1:1: expected a map of sections'] },
  {
    name: 'an address in brackets without quotes',
    text: 'relay:\n  tcp: [::1]:80\n',
    problems: ['config.yaml:2:13: unexpected text; a value that begins with one of [ { | > must be in quotes'],
  },
  {
    name: 'an unclosed quote',
    text: "relay:\n  passphrase: 'abc\n",
    problems: ['config.yaml:3:1: a closing quote or bracket is missing'],
  },
  {
    name: 'a tag',
    text: 'relay:\n  passphrase: !abc def\n',
    problems: ['config.yaml:2:15: unknown tag; a value that begins with ! must be in quotes'],
  },
  {
    name: 'an alias of nothing',
    text: 'relay:\n  passphrase: *abc\n',
    problems: ['config.yaml:2:15: unknown alias; a value that begins with * must be in quotes'],
  },
  {
    name: 'an alias of what it is in',
    text: 'relay:\n  nicknames: &a [*a]\n',
    problems: ['config.yaml:2:18: the alias contains itself'],
  },
  {
    name: 'two documents',
    text: 'a: 1\n---\nb: 2\n',
    problems: ['config.yaml:2:1: the file must be a single YAML document'],
  },
]

describe('config problems', () => {
  for (const { name, text, problems } of CASES) {
    it(`reports ${name}`, async () => {
      expect(await problemsOf(text)).to.deep.equal(problems)
    })
  }

  it('reports all problems of a section at once, in the order of the file', async () => {
    const text = 'relay:\n  chunksize: x\n  passphras: y\n  publish:\n    maxcount: -1\n  linger: z\n'
    expect((await problemsOf(text)).map((line) => line.split(': ').slice(0, 2).join(' '))).to.deep.equal([
      'config.yaml:2:3 relay.chunksize',
      'config.yaml:3:3 relay.passphras',
      'config.yaml:5:5 relay.publish.maxcount',
      'config.yaml:6:3 relay.linger',
    ])
  })

  it('carries each problem as data, and a code', async () => {
    const error = await configErrorOf(() => configOf('global:\n  enableauth: 5\n'))
    expect(error.code).to.equal('CONFIG')
    expect(error.problems.map(({ line, column, key, message }) => ({ line, column, key, message }))).to.deep.equal([
      { line: 2, column: 3, key: 'global.enableauth', message: 'expected true or false, found 5' },
    ])
  })

  it('names the variable for a wrong value in the environment', async () => {
    expect(await problemsOf('', { SLUICE_RELAY_CHUNKSIZE: 'big' })).to.deep.equal([
      "SLUICE_RELAY_CHUNKSIZE: relay.chunksize: expected an integer from 128 to 65536, found 'big'",
    ])
  })

  it('names the plugin for a wrong default', async () => {
    const config = await configOf('')
    // Of a plugin in JavaScript, which no compiler has checked.
    const defaults: object = { publish: { publishtimeot: '7s' }, enableauth: true }
    const error = await configErrorOf(() => config.declare({ ...RELAY, defaults }))
    expect(error.message).to.equal(
      "plugin relay: relay.publish.publishtimeot: unknown key, did you mean 'publishtimeout'?",
    )
  })

  it('fails on a named file that is not there, or is no file', async () => {
    await using temp = await TempConfig.create('')
    const missing = `${temp.file}.missing`
    expect((await configErrorOf(() => Config.load({ file: missing, env: {} }))).message).to.equal(
      `${missing}: there is no such file`,
    )
    const folder = path.dirname(temp.file)
    expect((await configErrorOf(() => Config.load({ file: folder, env: {} }))).message).to.equal(
      `${folder}: can't be read (EISDIR)`,
    )
  })

  it('either reads or reports any text', async () => {
    await using temp = await TempConfig.create('')
    const pieces = fc.constantFrom(
      'relay',
      'global',
      'publish',
      'key',
      'tcp',
      ':',
      ': ',
      '\n',
      '\n  ',
      '- ',
      '&a ',
      '*a',
      '!b ',
      '[',
      '{',
      '}',
      ']',
      '|',
      "'",
      '"',
      '<<',
      '5',
      'true',
      '10s',
      '\t',
      '---\n',
      '#',
      '? ',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
    )
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        await temp.write(text)
        try {
          const config = await Config.load({
            file: temp.file,
            env: { SLUICE_RELAY_NICKNAMES: text.replaceAll('\0', '') },
          })
          config.declare(RELAY)
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error
        }
      }),
      { numRuns: rounds(500) },
    )
  })

  it('say what to do about a key of a plugin that declares none', async () => {
    const plain = { name: 'plain' }
    const config = await configOf('plain:\n  greeting: hello\n  enabel: true\n  publish: {greeting: x}\n')
    config.locate(plain, 'plugins/plain.ts')
    expect(problemLines(await configErrorOf(() => config.declare(plain)))).to.deep.equal([
      "config.yaml:2:3: plain.greeting: unknown key; plugin 'plain' declares no config of its own: remove the key, or " +
        'add `config: Type.Object({ greeting: … })` to plugins/plain.ts',
      "config.yaml:3:3: plain.enabel: unknown key, did you mean 'enable'?",
      'config.yaml:4:13: plain.publish.greeting: unknown key',
    ])
  })
})
