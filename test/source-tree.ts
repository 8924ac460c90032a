import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SKIPPED = new Set(['node_modules', 'dist', 'built', 'coverage'])
const SPECIFIER = /^\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gmu

/** A TypeScript file of the project. */
export type SourceFile = {
  /** From the project's root, with `/`. */
  readonly path: string
  readonly text: string
  /** A test, or code that only tests use. */
  readonly isTest: boolean
}

/** All TypeScript files below some folders of the project. */
export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => pathsBelow(folder)).map(readSource)
}

/** Reads one file by its path from the project's root. */
export function readSource(path: string): SourceFile {
  const isTest = path.endsWith('.test.ts') || /(^|\/)(test|fixtures)\//u.test(path)
  return { path, text: readFileSync(join(ROOT, path), 'utf8'), isTest }
}

/** What a file imports: relative paths resolved to the project's root, all else as it is written. */
export function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(SPECIFIER)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? ''
    return specifier.startsWith('.') ? `./${posix.join(posix.dirname(path), specifier)}` : specifier
  })
}

function pathsBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : pathsBelow(path)
    return /\.tsx?$/u.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}
