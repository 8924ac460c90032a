import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A temporary folder for plugins, outside of this project. */
export class PluginFolder {
  readonly path: string

  private constructor(folder: string) {
    this.path = folder
  }

  static async create(): Promise<PluginFolder> {
    return new PluginFolder(await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-plugins-'))))
  }

  file(name: string): string {
    return path.join(this.path, name)
  }

  /** Writes a file and the folders above it. */
  async write(name: string, text: string): Promise<void> {
    await mkdir(path.dirname(this.file(name)), { recursive: true })
    await writeFile(this.file(name), text)
  }

  async remove(name = '.'): Promise<void> {
    await rm(this.file(name), { recursive: true, force: true })
  }
}
