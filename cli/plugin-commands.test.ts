import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { CommandError } from './command-error.ts'
import { parseCommandLine } from './command-line.ts'
import { helpOfPlugins, PluginCommands } from './plugin-commands.ts'

describe('the commands of plugins', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-commands-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function put(place: string, text: string): Promise<void> {
    const file = path.join(folder, place)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }

  const saying = (word: string) =>
    `export default { summary: 'says ${word}', async run(args) { globalThis.said = ['${word}', ...args] } }`

  it('are found in the folders of plugins, and run with their arguments', async () => {
    await put('greeter/commands/greet.ts', saying('hello'))
    await put('greeter/commands/greet.test.ts', 'throw new Error("a test was loaded")')
    await put('greeter/commands/readme.md', '')
    await put('parting/commands/part.ts', saying('farewell'))
    const commands = new PluginCommands(folder)
    expect(commands.names).to.eql(['greet', 'part'])
    await (await commands.load('greet')).run(['--loud'])
    expect(Reflect.get(globalThis, 'said')).to.eql(['hello', '--loud'])
    expect(helpOfPlugins(await commands.all())).to.match(
      /^ {2}sluice greet +says hello\n {2}sluice part +says farewell$/mu,
    )
  })

  it('are those of the plugin that comes first where two have one name', async () => {
    await put('b/commands/same.ts', saying('b'))
    await put('a/commands/same.ts', saying('a'))
    expect((await new PluginCommands(folder).load('same')).summary).to.equal('says a')
  })

  it('say when a file has none, which the others do not suffer from', async () => {
    await put('a/commands/broken.ts', 'export default { summary: 1 }')
    await put('a/commands/throws.ts', 'throw new Error("no")')
    await put('a/commands/whole.ts', saying('a'))
    const commands = new PluginCommands(folder)
    const error = await commands.load('broken').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(CommandError).with.property('message').that.includes('exports no command')
    expect((await commands.all()).map(({ name }) => name)).to.eql(['whole'])
  })

  it('are no part of the help where there are none', async () => {
    expect(helpOfPlugins(await new PluginCommands(folder).all())).to.equal('')
  })

  it('take all arguments after their name, and never the place of an own command', () => {
    const known = (name: string) => ['greet', 'check', 'user'].includes(name)
    expect(parseCommandLine(['greet', '--help', '-x'], known)).to.eql({
      kind: 'plugin',
      name: 'greet',
      args: ['--help', '-x'],
    })
    expect(parseCommandLine(['check'], known).kind).to.equal('check')
    expect(parseCommandLine(['user', 'list'], known).kind).to.equal('user')
    expect(parseCommandLine(['part'], known).kind).to.equal('usage-error')
  })
})
