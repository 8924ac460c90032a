import { expect } from 'chai'
import { UsageError } from '../command-error.ts'
import type { Command } from './command.ts'
import { parseCommandLine } from './command-line.ts'
import { COMMANDS } from './commands.ts'
import { helpText } from './help.ts'

const run = () => Promise.resolve()
const TEST_COMMANDS: readonly Command[] = [
  { name: 'streams', summary: 'all', run },
  { name: 'show', args: ['PATH', '[KEY]'], summary: 'one', details: 'More of it.', run },
  { name: 'alias list', summary: 'all aliases', run },
  {
    name: 'alias set',
    args: ['ALIAS'],
    summary: 'set an alias',
    options: { force: { summary: 'by force' }, role: { summary: 'as whom', value: 'ROLE' } },
    run,
  },
]

function parsed(...args: string[]) {
  const line = parseCommandLine(args, TEST_COMMANDS)
  if (line.kind === 'help') return line
  const { command, args: given, options } = line
  return { name: command.name, args: given, options: { ...options } }
}

describe('the command line of sluice ctl', () => {
  it('has a command of one or two words, and its arguments', () => {
    expect(parsed('streams')).to.eql({ name: 'streams', args: [], options: {} })
    expect(parsed('show', 'live/a')).to.eql({ name: 'show', args: ['live/a'], options: {} })
    expect(parsed('show', 'live/a', 'key')).to.eql({ name: 'show', args: ['live/a', 'key'], options: {} })
    expect(parsed('alias', 'set', 'a')).to.eql({ name: 'alias set', args: ['a'], options: {} })
  })

  it('has options anywhere, until two dashes', () => {
    const options = { json: true, server: 'http://a', force: true, role: 'admin' }
    const wanted = { name: 'alias set', args: ['a'], options }
    expect(parsed('--json', '--server', 'http://a', 'alias', 'set', '--force', 'a', '--role=admin')).to.eql(wanted)
    expect(parsed('show', '--', '--json')).to.eql({ name: 'show', args: ['--json'], options: {} })
  })

  const slips: readonly { readonly args: readonly string[]; readonly says: RegExp }[] = [
    { args: [], says: /^which command\? \(see sluice ctl --help\)$/u },
    { args: ['stream'], says: /unknown command "stream"/u },
    { args: ['show'], says: /show: PATH is missing \(see sluice ctl show --help\)/u },
    { args: ['show', 'a', 'b', 'c'], says: /show: unexpected "c"/u },
    { args: ['alias'], says: /alias: expected one of list, set/u },
    { args: ['alias', 'drop'], says: /alias: expected one of list, set/u },
    { args: ['streams', '--force'], says: /--force is not for streams/u },
    { args: ['streams', '--nosuch'], says: /nosuch/u },
    { args: ['streams', '--server'], says: /--server/u },
    { args: ['streams', '--token', 'secret'], says: /--token/u },
  ]
  for (const { args, says } of slips) {
    it(`is refused as "${args.join(' ')}"`, () => {
      expect(() => parseCommandLine(args, TEST_COMMANDS)).to.throw(UsageError, says)
    })
  }

  it('asks for help of all, of a group or of a command', () => {
    expect(parsed('--help')).to.eql({ kind: 'help', topic: [] })
    expect(parsed('alias', 'set', '-h')).to.eql({ kind: 'help', topic: ['alias', 'set'] })
    const all = helpText([], TEST_COMMANDS)
    expect(all)
      .to.match(/^Usage: sluice ctl/u)
      .and.match(/^ {2}show PATH \[KEY\] {2,}one$/mu)
      .and.match(/--ca FILE/u)
    const group = helpText(['alias'], TEST_COMMANDS)
    expect(group).to.include('alias set ALIAS').and.include('alias list').and.not.include('show')
    const one = helpText(['show', 'live/a'], TEST_COMMANDS)
    expect(one).to.include('Usage: sluice ctl show PATH [KEY]\n').and.include('More of it.')
    expect(helpText(['alias', 'set'], TEST_COMMANDS)).to.match(/--role ROLE +as whom/u)
    expect(() => helpText(['nosuch'], TEST_COMMANDS)).to.throw(UsageError, 'nosuch')
  })

  it('has no two commands of one name, and no option of one name but two kinds', () => {
    const names = COMMANDS.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    const kinds = new Map<string, boolean>()
    for (const [name, { value }] of COMMANDS.flatMap(({ options = {} }) => Object.entries(options))) {
      expect(kinds.get(name) ?? value !== undefined, name).to.equal(value !== undefined)
      kinds.set(name, value !== undefined)
    }
  })
})
