import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { copyCheckout, installPackage } from '../support/checkout.ts'
import { ServerCommand, startCommand } from '../support/command.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'

/** A G.711 tag, which needs no sequence header. */
const SOUND = { type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') } as const

const PLACES = [
  { what: 'a checkout', says: /^\S+ has changed: building …\n$/u, make: () => rooted(copyCheckout({ build: true })) },
  {
    what: 'an installed package',
    says: /^$/u,
    make: () => rooted(path.join(installPackage(), 'node_modules', 'sluice')),
  },
] as const

function rooted(root: string): { readonly root: string; readonly program: string } {
  return { root, program: path.join(root, 'bin', 'sluice.js') }
}

type SystemInfo = { readonly data: { readonly plugins: readonly PluginInfo[] } }
type PluginInfo = { readonly name: string; readonly description: { readonly version: string } }

async function versionOf(server: ServerCommand, plugin: string): Promise<string | undefined> {
  const info = (await (await fetch(server.http('/api/sysinfo'))).json()) as SystemInfo
  return info.data.plugins.find(({ name }) => name === plugin)?.description.version
}

for (const { what, says, make } of PLACES) {
  describe(`a source that is edited in ${what}`, () => {
    it('of the command line, the core or the sdk runs with the next start', async () => {
      const { root, program } = make()
      const edited = [
        ['cli/command-line.ts', 'edited cli'],
        ['core/server.ts', 'edited core'],
        ['sdk/index.ts', 'edited sdk'],
      ] as const
      for (const [source, line] of edited) {
        appendFileSync(path.join(root, source), `\nprocess.stdout.write('${line}\\n')\n`)
      }
      const check = startCommand(['check', '-c', path.join(root, 'config', 'config.yaml')], { program })
      const said = String(await check.succeed())
      expect(check.stderr).to.match(says)
      for (const [, line] of edited) expect(said).to.include(`${line}\n`)
      expect(said).to.include('ok: ')
    })

    it('of a plugin that comes along runs as its next generation, and its sessions go on', async () => {
      const { root, program } = make()
      // The publisher may be silent for as long as a busy machine loads.
      const server = await ServerCommand.start([], { program, env: { SLUICE_GLOBAL_PUBLISH_PUBLISHTIMEOUT: '10m' } })
      const publisher = await RtmpClient.publish({ url: server.rtmp('live/a') })
      publisher.send(SOUND)
      const before = new FlvViewer(server.http('/flv/live/a.flv'))
      await before.received.wait(1)
      expect(await versionOf(server, 'flv')).to.equal('1.0.0')

      const entry = path.join(root, 'plugins', 'flv', 'index.ts')
      const text = readFileSync(entry, 'utf8')
      writeFileSync(entry, text.replace("version: '1.0.0'", "version: '1.0.1'"))
      await waitFor(async () => (await versionOf(server, 'flv')) === '1.0.1', { what: 'the edited plugin to run' })
      const after = new FlvViewer(server.http('/flv/live/a.flv'))
      await after.received.wait(1)
      publisher.send({ ...SOUND, timestampMs: 20 })
      await Promise.all([before.received.wait(2), after.received.wait(2)])
      expect(server.complaints).to.eql([])
    })

    it('is named by its line where it fails', async () => {
      const { root, program } = make()
      const entry = path.join(root, 'plugins', 'annexb', 'index.ts')
      const text = readFileSync(entry, 'utf8')
      writeFileSync(entry, text.replace(/setup\((.*)\) \{/u, 'setup($1) {\n    throw new Error("broken")\n'))
      const line = text.split('\n').findIndex((content) => /setup\(/u.test(content)) + 2
      const server = await ServerCommand.start([], { program })
      const stack = JSON.stringify(server.records.find(({ plugin, level }) => plugin === 'annexb' && level === 'error'))
      expect(stack).to.match(new RegExp(String.raw`plugins/annexb/index\.ts(?:\?load=\d+)?:${line}:`, 'u'))
      expect(stack)
        .to.match(/core\/host\/generation\/generation\.ts:\d+:\d+/u)
        .and.not.to.include('/dist/')
    })
  })
}
