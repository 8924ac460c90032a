import { appendFile, cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PLUGINS_FOLDER } from '../../core/package-root.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import type { RunningServer } from './server.ts'

/** Copies of shipped plugins in a folder of their own, which a test edits, takes away and puts back. It goes with the test. */
export class CopiedPlugins {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async of(...names: readonly string[]): Promise<CopiedPlugins> {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-plugins-')))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const plugins = new CopiedPlugins(folder)
    for (const name of names) await plugins.#copy(name)
    return plugins
  }

  /** Edits a plugin, and resolves when its next generation has taken over. */
  async reload(server: RunningServer, name: string): Promise<void> {
    const before = generationOf(server, name) ?? 0
    await appendFile(path.join(this.folder, name, 'index.ts'), `// edited after generation ${before}\n`)
    await waitFor(() => (generationOf(server, name) ?? 0) > before, { what: `another generation of ${name}` })
  }

  /** Takes a plugin away, and resolves when the server has let it go. */
  async remove(server: RunningServer, name: string): Promise<void> {
    await rm(path.join(this.folder, name), { recursive: true })
    await waitFor(() => generationOf(server, name) === undefined, { what: `${name} to go` })
  }

  /** Puts a plugin back, and resolves when it runs. */
  async putBack(server: RunningServer, name: string): Promise<void> {
    await this.#copy(name)
    const isRunning = () =>
      server.server.host.list().some((plugin) => plugin.name === name && plugin.state === 'running')
    await waitFor(isRunning, { what: `${name} to run` })
  }

  async #copy(name: string): Promise<void> {
    const filter = (file: string) => !file.endsWith('.test.ts') && !/\/(?:test|fixtures)$/u.test(file)
    await cp(path.join(PLUGINS_FOLDER, name), path.join(this.folder, name), { recursive: true, filter })
  }
}

/** Undefined where there is no such plugin. */
function generationOf(server: RunningServer, name: string): number | undefined {
  return server.server.host.list().find((plugin) => plugin.name === name)?.generation
}
