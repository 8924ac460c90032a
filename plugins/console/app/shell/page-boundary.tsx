import { Component, type ReactNode } from 'react'

type Props = { readonly fallback: (error: Error, retry: () => void) => ReactNode; readonly children: ReactNode }

/** Keeps a failure of a page to that page: the menu and the other pages go on. */
export class PageBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return this.props.fallback(error, () => this.setState({ error: undefined }))
  }
}
