import type * as ffi from 'node:ffi'

/** The module `node:ffi`. */
export type Ffi = typeof ffi

/**
 * Loads `node:ffi`, which calls functions of C libraries; undefined where this Node has none (before 26.1, or refused by its
 * permission model). Node's warning that it is experimental is not shown: users of the server can't act on it.
 */
export function loadFfi(): Ffi | undefined {
  const emitWarning = Reflect.get(process, 'emitWarning')
  try {
    process.emitWarning = () => {}
    return process.getBuiltinModule('node:ffi')
  } catch {
    return undefined
  } finally {
    process.emitWarning = emitWarning
  }
}
