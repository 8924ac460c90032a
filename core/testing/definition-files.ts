import { access, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TObject } from 'typebox'
import type { PluginDefinition } from 'sluice/sdk'

/** The key of the global map from files to their definitions, which all copies of a module share that a reload makes. */
const DEFINITIONS = Symbol.for('sluice.testing.definitions')

/** A temporary folder with a file for each definition, as the host loads plugins only from files. */
export class DefinitionFiles {
  readonly folder: string
  readonly #definitions: Map<string, unknown>
  #writes = 0

  private constructor(folder: string) {
    this.folder = folder
    const known: unknown = Reflect.get(globalThis, DEFINITIONS)
    this.#definitions = known instanceof Map ? known : new Map<string, unknown>()
    Reflect.set(globalThis, DEFINITIONS, this.#definitions)
  }

  static async create(): Promise<DefinitionFiles> {
    return new DefinitionFiles(await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-test-'))))
  }

  /** Writes the plugin's file; each further call makes the host load another generation. */
  async write<Own extends TObject>(definition: PluginDefinition<Own>): Promise<void> {
    const file = path.join(this.folder, `${definition.name}.mjs`)
    this.#definitions.set(file, definition)
    const definitions = `globalThis[Symbol.for('${DEFINITIONS.description}')]`
    // The comment makes each content different: the host takes a file of the same content for the same plugin.
    await writeFile(file, `export default ${definitions}.get(${JSON.stringify(file)}) // ${++this.#writes}\n`)
  }

  /**
   * Adds the folder of a plugin.
   * @throws {Error} when there is no such folder
   */
  async link(place: string): Promise<void> {
    await access(place)
    // A junction, as Windows lets ordinary users make no other link.
    await symlink(place, path.join(this.folder, path.basename(place)), 'junction')
  }

  async remove(): Promise<void> {
    for (const file of this.#definitions.keys()) if (path.dirname(file) === this.folder) this.#definitions.delete(file)
    await rm(this.folder, { recursive: true, force: true })
  }
}
