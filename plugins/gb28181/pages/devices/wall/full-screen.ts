/** Shows an element on the full screen, or no longer. A browser that does not know it, or refuses, shows the page as before. */
export function toggleFullScreen(element: HTMLElement | null): void {
  const changing = document.fullscreenElement === null ? element?.requestFullscreen?.() : document.exitFullscreen()
  void changing?.catch(() => undefined)
}
