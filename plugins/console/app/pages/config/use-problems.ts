import { useEffect, useRef, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { configOf, type Change } from './changes.ts'

/** The time without typing after which the server is asked. */
const PAUSE_MS = 400

/** The server's messages, by the dotted path of the key. Those that belong to no key of the section are at `''`. */
export type Problems = ReadonlyMap<string, string>

const NONE: Problems = new Map()

/** Lets the server check the changes: a while after the last one, and when `check` is called. */
export function useProblems(console: Console<Paths>, name: string, changes: readonly Change[]) {
  const [problems, setProblems] = useState(NONE)
  const latest = useRef(changes)
  latest.current = changes
  const key = JSON.stringify(configOf(changes))

  const check = async (signal?: AbortSignal): Promise<Problems> => {
    const checked = latest.current
    const { api } = console
    const body = { plugin: name, config: configOf(checked) }
    const answer = checked.length === 0 ? undefined : await api.call('POST /config/validate', { body }, signal)
    const found = problemsOf(name, checked, answer?.data.problems ?? [])
    if (signal?.aborted !== true) setProblems(found)
    return found
  }

  useEffect(() => {
    const controller = new AbortController()
    // A server that can't be asked now says so when the changes are saved.
    const timer = setTimeout(() => void check(controller.signal).catch(() => undefined), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key])

  return { problems, check }
}

function problemsOf(
  name: string,
  changes: readonly Change[],
  found: readonly { readonly key: string; readonly message: string }[],
): Problems {
  const problems = new Map<string, string[]>()
  for (const { key, message } of found) {
    const inner = key.toLowerCase().startsWith(`${name.toLowerCase()}.`) ? key.slice(name.length + 1) : key
    const { leaf } = changes.find(({ leaf: { path } }) => isWithin(inner, path)) ?? {}
    const rest = leaf === undefined ? inner : inner.slice(leaf.path.length).replace(/^\./u, '')
    const text = rest === '' ? message : `${rest}: ${message}`
    const path = leaf?.path ?? ''
    problems.set(path, [...(problems.get(path) ?? []), text])
  }
  return new Map([...problems].map(([path, texts]) => [path, texts.join('\n')]))
}

function isWithin(key: string, path: string): boolean {
  return key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`)
}
