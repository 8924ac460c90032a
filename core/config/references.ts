import { messageOf } from 'sluice/sdk'
import { loadCertificate } from '../net/tls.ts'
import type { Problem } from './config-error.ts'
import { nearestKey } from './key-name.ts'
import { isRuleLeaf } from './schema.ts'
import type { Section } from './section.ts'
import { isUsers } from './settings.ts'

/** Schemes of addresses that can be pulled from or pushed to, and that belong to no single protocol. */
const COMMON_SCHEMES = ['http', 'https', 'ws', 'wss', 'file']
const SCHEME = /^([a-z][a-z\d+.-]*):\/\//iu
/** A reference to a group of the path in the address of an on-demand rule. */
const GROUP = /\$\d/gu

/**
 * The errors in certificates and addresses that sections refer to: certificates that can't be used, addresses of rules with
 * an unknown scheme. A running server finds these errors when it uses the references; this is for a check before that.
 * @param schemes the schemes of the plugins' addresses
 */
export async function referenceProblems(sections: readonly Section[], schemes: readonly string[]): Promise<Problem[]> {
  const enabled = sections.filter(({ config }) => config.enabled)
  const certificates = await Promise.all(enabled.map(certificateProblems))
  const known = [...schemes, ...COMMON_SCHEMES]
  return [...certificates.flat(), ...enabled.flatMap((section) => sourceProblems(section, known))]
}

async function certificateProblems(section: Section): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { path } of section.leaves) {
    if (!/(?:^|\.)certfile$/u.test(path)) continue
    const keyPath = path.replace(/certfile$/u, 'keyfile')
    const written = [path, keyPath].find((key) => isWrittenIn(section, key))
    const files = { certfile: textOf(section, path), keyfile: textOf(section, keyPath) }
    if (written === undefined || (files.certfile === '' && files.keyfile === '')) continue
    try {
      await loadCertificate(files)
    } catch (error) {
      problems.push(problemAt(section, written, written, messageOf(error)))
    }
  }
  return problems
}

function sourceProblems(section: Section, schemes: readonly string[]): Problem[] {
  return section.leaves.filter(isRuleLeaf).flatMap(({ path }) => {
    const rules = section.settings.get(path)?.value as Readonly<Record<string, { readonly url: string }>> | undefined
    return Object.entries(rules ?? {}).flatMap(([target, { url }]) => {
      const fault = sourceFault(url, schemes)
      return fault === undefined ? [] : [problemAt(section, path, `${path}.${target}.url`, fault)]
    })
  })
}

/**
 * Makes the message for a wrong source. Never quotes the address, which may contain secrets. An address without scheme may
 * be a file.
 */
function sourceFault(url: string, schemes: readonly string[]): string | undefined {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) return undefined
  if (schemes.includes(scheme)) {
    return URL.canParse(url.replaceAll(GROUP, '1')) ? undefined : 'is no address that anything can be asked of'
  }
  const nearest = nearestKey(scheme, schemes)
  return nearest === undefined ? undefined : `unknown scheme '${scheme}', did you mean '${nearest}'?`
}

function isWrittenIn(section: Section, path: string): boolean {
  const source = section.settings.get(path)?.source
  return source !== undefined && isUsers(source)
}

function textOf(section: Section, path: string): string {
  const value = section.settings.get(path)?.value
  return typeof value === 'string' ? value : ''
}

function problemAt(section: Section, path: string, key: string, message: string): Problem {
  const place = section.settings.get(path)?.place ?? { file: section.name, line: 0, column: 0 }
  return { ...place, key: `${section.name}.${key}`, message }
}
