import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { keep } from '../peers/lifetime.ts'

/** A folder outside the project with the fake protocol's one file in it, as an operator would drop it. */
export async function fakeProtocolFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-plugins-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  await cp(fileURLToPath(import.meta.resolve('./fixtures/fake-protocol.ts')), path.join(folder, 'fake.ts'))
  return folder
}
