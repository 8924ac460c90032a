import { createContext, useContext, useMemo, type MouseEvent } from 'react'
import { useLocation, useRouter } from 'wouter'
import type { Console, ConsoleUser } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { api } from './api-client.ts'
import { ConfirmButton } from './confirm-button.tsx'
import { DataTable } from './data-table.tsx'
import { formatOf } from './format.ts'
import { useLanguage } from './language.ts'
import { lazily } from './lazily.tsx'
import { change, notify } from './notices.tsx'
import { PageFrame } from './page-frame.tsx'
import { Problem } from './problem.tsx'
import { SearchInput } from './search-input.tsx'
import { StreamPicker } from './stream-picker.tsx'
import { useCall } from './use-call.ts'
import { useEvents } from './use-events.ts'

export const UserContext = createContext<ConsoleUser>({ name: '', mayChange: false })

const COMPONENTS: Console['components'] = {
  PageFrame,
  DataTable,
  Problem,
  ConfirmButton,
  SearchInput,
  StreamPicker,
  FormDialog: lazily(() => import('./form-dialog.tsx')),
  Player: lazily(() => import('./player/player.tsx'), 240),
  JsonForm: lazily(() => import('./form/json-form.tsx'), 320),
  Chart: lazily(() => import('./chart.tsx'), 182),
}

/** The console as pages are given it. */
export function useConsole(): Console<Paths> {
  const language = useLanguage()
  const user = useContext(UserContext)
  const { base } = useRouter()
  const [, navigate] = useLocation()
  return useMemo(
    () => ({
      api,
      user,
      language,
      format: formatOf(language),
      words: (words) => words[language],
      useCall,
      useEvents,
      change,
      notify,
      navigate: (path) => navigate(path),
      link: (path) => ({ href: base + path, onClick: (event) => follow(event, () => navigate(path)) }),
      streamPage: (streamPath) => `/streams/${streamPath.split('/').map(encodeURIComponent).join('/')}`,
      components: COMPONENTS,
    }),
    [language, user, base, navigate],
  )
}

function follow(event: MouseEvent, go: () => void): void {
  event.stopPropagation()
  const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  if (event.button !== 0 || opensElsewhere) return
  event.preventDefault()
  go()
}
