import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { PluginFolder } from '../../core/host/testing/plugin-folder.ts'
import type { PluginView } from '../../core/host/plugin-view.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from './server.ts'

const OUTSIDERS = new URL('../outsiders/', import.meta.url)

/** A plugin of test/outsiders as a file outside of this project, on a server that has no other. */
export class Outsider {
  readonly server: RunningServer
  readonly #name: string
  readonly #text: string
  readonly #folder: PluginFolder

  private constructor(name: string, text: string, folder: PluginFolder, server: RunningServer) {
    this.#name = name
    this.#text = text
    this.#folder = folder
    this.server = server
  }

  /**
   * @param name of the plugin and its file
   * @param section its config
   */
  static async start(name: string, section: Readonly<Record<string, unknown>>): Promise<Outsider> {
    const text = await readFile(new URL(`${name}.ts`, OUTSIDERS), 'utf8')
    const folder = await PluginFolder.create()
    keep({ close: () => folder.remove() })
    await folder.write(`${name}.ts`, text)
    // JSON is YAML.
    const config = JSON.stringify({ [name]: section })
    return new Outsider(name, text, folder, await startServer({ config, pluginFolders: [folder.path] }))
  }

  get view(): PluginView {
    const view = this.server.server.host.list().find(({ name }) => name === this.#name)
    if (view === undefined) throw new Error(`there is no plugin ${this.#name}`)
    return view
  }

  /** Saves the plugin with another version, and resolves when that has taken over. */
  async release(version: string): Promise<void> {
    expect(this.#text).to.include("const VERSION = '1.0.0'")
    await this.#folder.write(`${this.#name}.ts`, this.#text.replace("'1.0.0'", `'${version}'`))
    await waitFor(() => this.view.version === version, { what: `version ${version}` })
  }

  async remove(): Promise<void> {
    await this.#folder.remove(`${this.#name}.ts`)
    await waitFor(() => this.server.server.host.list().every(({ name }) => name !== this.#name), { what: 'removal' })
  }

  /** Resolves when a generation that was replaced or removed is gone. */
  async hasEnded(generation: number): Promise<void> {
    const line = `generation ${generation} has ended`
    await waitFor(() => this.server.records.some(({ msg }) => msg.startsWith(line)), { what: line })
  }
}
