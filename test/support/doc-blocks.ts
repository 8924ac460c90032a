import { readFile } from 'node:fs/promises'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..', '..')

/** All blocks of a language in a page. */
export async function allBlocksOf(page: string, language: string): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, page), 'utf8')
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gmsu'))
  return [...blocks].map(([, body = '']) => body)
}

/** The blocks of a language in a page, by a text that only one of them has. */
export async function blocksOf(page: string, language: string): Promise<(part: string) => string> {
  const bodies = await allBlocksOf(page, language)
  return (part) => {
    const found = bodies.filter((body) => body.includes(part))
    if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} have ${part}`)
    return found[0] ?? ''
  }
}
