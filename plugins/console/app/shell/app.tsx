import { Center, MantineProvider } from '@mantine/core'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { Router } from 'wouter'
import { ApiError } from '../kit/api-client.ts'
import { firstLanguage, LanguageContext, storeLanguage, type Language } from '../kit/language.ts'
import { Notices } from '../kit/notices.tsx'
import { Problem } from '../kit/problem.tsx'
import { session } from '../kit/session.ts'
import { useCall } from '../kit/use-call.ts'
import { UserContext } from '../kit/use-console.ts'
import { Frame } from './frame.tsx'
import { Login } from './login.tsx'
import { contrastVariables, theme } from './theme.ts'

// The part of Mantine that keeps the page still behind a dialog finds the nonce of its style by this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

const BASE = new URL(document.baseURI).pathname.replace(/\/$/u, '')
const HTML_LANGUAGES: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' }

export function App() {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = HTML_LANGUAGES[language]
    storeLanguage(language)
  }, [language])
  const languages = useMemo(() => ({ language, setLanguage }), [language])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrastVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <LanguageContext value={languages}>
        <Router base={BASE}>
          <Admission />
        </Router>
        <Notices />
      </LanguageContext>
    </MantineProvider>
  )
}

/** The login, until the server knows the user. */
function Admission() {
  const token = useSyncExternalStore(session.onChange, () => session.token)
  const { data, error, refresh } = useCall('GET /api/auth/userinfo')
  useEffect(() => void refresh(), [token])
  const user = useMemo(() => data && { name: data.data.username, mayChange: data.data.role === 'admin' }, [data])
  if (error instanceof ApiError && error.status === 401) return <Login />
  if (error !== undefined) {
    return (
      <Center component="main" mih="100dvh" p="md">
        <Problem error={error} onRetry={() => void refresh()} />
      </Center>
    )
  }
  if (user === undefined) return null
  return (
    <UserContext value={user}>
      <Frame />
    </UserContext>
  )
}

function styleNonce(): string {
  return document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? ''
}
