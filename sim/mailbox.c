/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/mailbox.h"

#include <string.h>

struct entry {
    struct lag_early message;
    uint32_t next; /* 0 ends a list */
};

void lag_mailbox_init(struct lag_mailbox *box)
{
    *box = (struct lag_mailbox){.messages = g_array_new(FALSE, TRUE, sizeof(struct entry))};
}

void lag_mailbox_clear(struct lag_mailbox *box)
{
    if (box == NULL)
        return;
    g_clear_pointer(&box->messages, g_array_unref);
    g_clear_pointer(&box->lists, g_free);
    box->n_seats = 0;
}

void lag_mailbox_reset(struct lag_mailbox *box, uint32_t n_seats)
{
    if (n_seats > box->n_seats) {
        box->lists = g_renew(struct lag_mailbox_list, box->lists, n_seats);
        box->n_seats = n_seats;
    }
    memset(box->lists, 0, n_seats * sizeof *box->lists);
    g_array_set_size(box->messages, 1); /* number 0 means none */
    box->free = 0;
}

static struct entry *entry_at(const struct lag_mailbox *box, uint32_t i)
{
    return &g_array_index(box->messages, struct entry, i);
}

void lag_mailbox_put(struct lag_mailbox *box, uint32_t seat, struct lag_early message)
{
    struct lag_mailbox_list *list = &box->lists[seat];
    struct entry entry = {message, 0};
    uint32_t index = box->free != 0 ? box->free : box->messages->len;

    if (box->free != 0) {
        box->free = entry_at(box, index)->next;
        *entry_at(box, index) = entry;
    } else {
        g_array_append_val(box->messages, entry);
    }
    if (list->last == 0)
        list->first = index;
    else
        entry_at(box, list->last)->next = index;
    list->last = index;
}

bool lag_mailbox_take(struct lag_mailbox *box, uint32_t seat, uint32_t src, uint32_t round,
                      struct lag_early *ret)
{
    struct lag_mailbox_list *list = &box->lists[seat];
    uint32_t before = 0, i = list->first;

    while (i != 0 &&
           !(entry_at(box, i)->message.src == src && entry_at(box, i)->message.round == round)) {
        before = i;
        i = entry_at(box, i)->next;
    }
    if (i == 0)
        return false;
    *ret = entry_at(box, i)->message;
    if (before == 0)
        list->first = entry_at(box, i)->next;
    else
        entry_at(box, before)->next = entry_at(box, i)->next;
    if (list->last == i)
        list->last = before;
    entry_at(box, i)->next = box->free;
    box->free = i;
    return true;
}
