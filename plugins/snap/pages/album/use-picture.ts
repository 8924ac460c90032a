import { useEffect, useState } from 'react'
import type { PageConsole } from '../page-console.ts'

type Loaded = { readonly address?: string; readonly isGone?: boolean }

/**
 * The bytes of a picture as an address of this page: images can send no credential.
 * @param id undefined loads nothing yet
 */
export function usePicture({ api }: PageConsole, id: number | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({})
  useEffect(() => {
    if (id === undefined) return undefined
    const leaving = new AbortController()
    let address: string | undefined
    const load = async () => {
      try {
        const bytes = (await api.call('GET /snap/api/picture/{id}', { params: { id } }, leaving.signal)) as unknown
        if (leaving.signal.aborted || !(bytes instanceof Blob)) return
        address = URL.createObjectURL(bytes)
        setLoaded({ address })
      } catch {
        if (!leaving.signal.aborted) setLoaded({ isGone: true })
      }
    }
    setLoaded({})
    void load()
    return () => {
      leaving.abort()
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [api, id])
  return loaded
}
