import { parseCommandLine, USAGE } from './command-line.ts'
import { helpOfPlugins, PluginCommands } from './plugin-commands.ts'
import { PLUGINS_FOLDER, VERSION } from '../core/package-root.ts'

const EXIT_USAGE = 2

await main()

async function main(): Promise<void> {
  const plugins = new PluginCommands(PLUGINS_FOLDER)
  const command = parseCommandLine(process.argv.slice(2), (name) => plugins.has(name))
  switch (command.kind) {
    case 'help':
      return void process.stdout.write(`${USAGE}${helpOfPlugins(await plugins.all())}`)
    case 'version':
      return void process.stdout.write(`${VERSION}\n`)
    case 'usage-error':
      process.stderr.write(`${command.message}\n\n${USAGE}`)
      process.exitCode = EXIT_USAGE
      return
    // Loading the server takes a while, so that only the commands that need it do.
    case 'ctl':
      return (await import('./ctl/ctl.ts')).ctl(command.args)
    case 'check':
      return (await import('./check.ts')).check(command.configFile, command.all)
    case 'user':
      return (await import('./user-command.ts')).runUserCommand(command.configFile, command.action)
    case 'token':
      return (await import('./token-command.ts')).runTokenCommand(command.configFile, command.action)
    case 'service':
      return (await import('./service/service-command.ts')).runServiceCommand(command.configFile, command.action)
    case 'reset':
      return (await import('./reset.ts')).reset(command.configFile, command.names)
    case 'plugin':
      return plugins.run(command.name, command.args)
    case 'run':
      return (await import('./run.ts')).run(command.configFile)
  }
}
