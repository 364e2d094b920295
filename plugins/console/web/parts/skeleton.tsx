/** Stands where a page's content appears once it is loaded; `aria-busy` says the same to screen readers. */
export const Skeleton = () => (
  <div class="skeleton" aria-hidden="true">
    {Array.from({ length: 9 }, (_, index) => (
      <div key={index} />
    ))}
  </div>
)
