import { createContext, useContext } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'

/** The console, as the page was given it. */
export type DevicesConsole = Console<Paths>

const ConsoleContext = createContext<DevicesConsole | undefined>(undefined)

export const ConsoleProvider = ConsoleContext.Provider

/** The console of the page, for its parts. */
export function useConsole(): DevicesConsole {
  const console = useContext(ConsoleContext)
  if (console === undefined) throw new Error('a part of the page is outside it')
  return console
}
