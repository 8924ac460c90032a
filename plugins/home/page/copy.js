/* global document, navigator, setTimeout, window */

const SHOWN_MS = 2000

/** A button that copies the text of an element, and says what came of it; `announce` tells it those who don't see it. */
export function copyButton(source, what, announce) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${what}`)
  const press = async () => {
    const result = (await copy(source)) ? 'Copied' : 'Selected'
    button.textContent = result
    announce(`${result}: ${what}`)
    setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS)
  }
  button.addEventListener('click', () => void press())
  return button
}

/** Selects the text, too, which can then be copied by hand where a browser does not allow it to a page. */
async function copy(source) {
  window.getSelection().selectAllChildren(source)
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    // There is no clipboard on plain HTTP, but for localhost; the older command works there.
    return document.execCommand('copy')
  }
}
