/* A figure with SDL2: its triangles by SDL_RenderGeometry, in a window, or without one a moment of a clip as a picture.
 *
 *   sdl hero.bones                     plays the first clip until the window is closed
 *   sdl hero.bones moment.bmp 0.5 walk
 *
 * SDL has neither gradients nor a stencil: triangles of gradients are cut finely and coloured at their corners, and what
 * lies in a clip path is cut by the triangles of that. Pictures in the figure are left out. */
#include <SDL2/SDL.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bone_layer.h"

/* SDL's renderer without a graphics card takes whole pixels: pictures are drawn so many times as large. */
enum { FINE = 4, MOST_CLIPS = 16 };
/* Triangles of gradients are cut until no side is longer, in pixels of the page. */
static const double LONGEST = 4;

static SDL_Vertex *list;
static int count, room;
static const bl_draw *clips[MOST_CLIPS];

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* On which side of a line a place lies. */
static double side(SDL_FPoint a, SDL_FPoint b, SDL_FPoint at) {
    return (b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x);
}

static SDL_Vertex between(SDL_Vertex a, SDL_Vertex b, double share) {
    for (int part = 0; part < 4; part++) {
        Uint8 *own = &a.color.r + part;
        *own = (Uint8)((1 - share) * *own + share * (&b.color.r)[part] + .5);
    }
    a.position.x += (float)(share * (b.position.x - a.position.x));
    a.position.y += (float)(share * (b.position.y - a.position.y));
    return a;
}

/* Adds what of a triangle lies in the innermost so many clip paths. */
static void add(const bl_triangles *mesh, float fine, const SDL_Vertex corners[3], int depth) {
    if (depth == 0) {
        if (count + 3 > room) list = realloc(list, (size_t)(room = 2 * room + 3072) * sizeof *list);
        if (!list) fail("no memory");
        for (int at = 0; at < 3; at++) list[count++] = corners[at];
        return;
    }
    const bl_draw *clip = clips[depth - 1];
    for (uint32_t at = 0; at + 2 < clip->count; at += 3) {
        SDL_FPoint by[3];
        for (int k = 0; k < 3; k++) {
            const bl_vertex *corner = &mesh->vertices[mesh->indices[clip->first + at + (uint32_t)k]];
            by[k] = (SDL_FPoint){fine * corner->x, fine * corner->y};
        }
        const double turn = side(by[0], by[1], by[2]) < 0 ? -1 : 1;
        SDL_Vertex kept[9] = {corners[0], corners[1], corners[2]}, cut[9];
        int left = 3;
        for (int edge = 0; edge < 3 && left; edge++) {
            int next = 0;
            for (int k = 0; k < left; k++) {
                const SDL_Vertex a = kept[k], b = kept[(k + 1) % left];
                const SDL_FPoint start = by[edge], end = by[(edge + 1) % 3];
                const double from = turn * side(start, end, a.position), to = turn * side(start, end, b.position);
                if (from >= 0) cut[next++] = a;
                if ((from < 0) != (to < 0)) cut[next++] = between(a, b, from / (from - to));
            }
            left = next;
            for (int k = 0; k < left; k++) kept[k] = cut[k];
        }
        for (int k = 2; k < left; k++) add(mesh, fine, (SDL_Vertex[]){kept[0], kept[k - 1], kept[k]}, depth - 1);
    }
}

/* A corner with its colour: of a gradient that of its place, where 0 to 1 is in `ramps`. */
static SDL_Vertex colored(const bl_triangles *mesh, float fine, const bl_vertex *at) {
    const unsigned kind = at->paint[2] & 3, spread = at->paint[2] >> 2;
    SDL_Vertex vertex = {{fine * at->x, fine * at->y}, {at->color[0], at->color[1], at->color[2], at->color[3]}, {0, 0}};
    if (kind != 1 && kind != 2) return vertex;
    double t = at->u;
    if (kind == 2) {
        const double focus = at->paint[3] / 255., x = at->u - focus, rest = 1 - focus * focus, y = at->v;
        t = (focus * x + sqrt(focus * focus * x * x + (x * x + y * y) * rest)) / rest;
    }
    if (spread == 2) t -= floor(t);
    if (spread == 1) t = 1 - fabs(t - 2 * floor(t / 2) - 1);
    const uint8_t *color = mesh->ramps + 1024 * (at->paint[0] + 256 * at->paint[1]) + 4 * (int)(255 * (t > 0 ? t < 1 ? t : 1 : 0) + .5);
    /* Ramps are multiplied by their alpha. */
    for (int part = 0; part < 3; part++) (&vertex.color.r)[part] = (Uint8)(color[3] ? 255 * color[part] / color[3] : 0);
    vertex.color.a = (Uint8)((at->color[3] * color[3] + 127) / 255);
    return vertex;
}

static bl_vertex middle(const bl_vertex *a, const bl_vertex *b) {
    bl_vertex at = *a;
    at.x = (a->x + b->x) / 2, at.y = (a->y + b->y) / 2, at.u = (a->u + b->u) / 2, at.v = (a->v + b->v) / 2;
    at.color[3] = (uint8_t)((a->color[3] + b->color[3] + 1) / 2);
    return at;
}

static void triangle(const bl_triangles *mesh, float fine, const bl_vertex corner[3], int depth, int cuts) {
    const int kind = corner[0].paint[2] & 3;
    int longest = 0;
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double length = hypot(corner[(k + 1) % 3].x - corner[k].x, corner[(k + 1) % 3].y - corner[k].y);
        if (length > most) most = length, longest = k;
    }
    if (kind && most > LONGEST && cuts) {
        const bl_vertex *a = &corner[longest], *b = &corner[(longest + 1) % 3], *c = &corner[(longest + 2) % 3], at = middle(a, b);
        triangle(mesh, fine, (bl_vertex[]){*a, at, *c}, depth, cuts - 1);
        triangle(mesh, fine, (bl_vertex[]){at, *b, *c}, depth, cuts - 1);
        return;
    }
    SDL_Vertex corners[3];
    for (int k = 0; k < 3; k++) corners[k] = colored(mesh, fine, &corner[k]);
    add(mesh, fine, corners, depth);
}

/* Draws the moment of a player, so many times as large as its page. */
static void draw(SDL_Renderer *renderer, bl_player player, int fine) {
    const double view[6] = {1, 0, 0, 1, 0, 0};
    bl_triangles mesh;
    if (bl_mesh(player, view, 1. / fine, &mesh)) fail(bl_last_error());
    int depth = count = 0;
    for (size_t at = 0; at < mesh.draw_count; at++) {
        const bl_draw *draw = &mesh.draws[at];
        if (draw->kind == 3) depth--;
        if (draw->kind == 2 && depth == MOST_CLIPS) fail("clip paths in too many clip paths");
        if (draw->kind == 2) clips[depth++] = draw;
        for (uint32_t k = 0; draw->kind == 0 && k + 2 < draw->count; k += 3) {
            bl_vertex corner[3];
            for (int at = 0; at < 3; at++) corner[at] = mesh.vertices[mesh.indices[draw->first + k + (uint32_t)at]];
            triangle(&mesh, (float)fine, corner, depth, 12);
        }
    }
    SDL_SetRenderDrawColor(renderer, 255, 255, 255, 255);
    SDL_RenderClear(renderer);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    if (count && SDL_RenderGeometry(renderer, NULL, list, count, NULL, 0)) fail(SDL_GetError());
    SDL_RenderPresent(renderer);
}

/* Every pixel of the page is the mean of those of the larger picture. */
static void save(SDL_Surface *large, const char *name) {
    SDL_Surface *page = SDL_CreateRGBSurfaceWithFormat(0, large->w / FINE, large->h / FINE, 32, SDL_PIXELFORMAT_ARGB8888);
    for (int at = 0; page && at < 4 * page->w * page->h; at++) {
        const int x = at / 4 % page->w, y = at / 4 / page->w;
        unsigned sum = FINE * FINE / 2;
        for (int k = 0; k < FINE * FINE; k++)
            sum += ((Uint8 *)large->pixels)[(FINE * y + k / FINE) * large->pitch + 4 * (FINE * x + k % FINE) + at % 4];
        ((Uint8 *)page->pixels)[y * page->pitch + 4 * x + at % 4] = (Uint8)(sum / (FINE * FINE));
    }
    if (!page || SDL_SaveBMP(page, name)) fail(SDL_GetError());
    SDL_FreeSurface(page);
}

int main(int given, char **arguments) {
    size_t length = 0;
    void *pack = given > 1 ? SDL_LoadFile(arguments[1], &length) : NULL;
    bl_figure figure;
    bl_player player;
    double page[8];
    if (!pack) fail("sdl hero.bones [moment.bmp seconds clip]");
    if (bl_figure_load(pack, length, &figure) || bl_player_new(figure, &player) || bl_figure_page(figure, page)) fail(bl_last_error());
    SDL_free(pack);
    const int width = (int)ceil(page[0]), height = (int)ceil(page[1]);
    if (given > 4) {
        uint32_t clip;
        if (bl_figure_find(figure, BL_CLIP, arguments[4], strlen(arguments[4]), &clip)) fail(bl_last_error());
        if (bl_exact(player, clip, atof(arguments[3]))) fail(bl_last_error());
        SDL_Surface *large = SDL_CreateRGBSurfaceWithFormat(0, FINE * width, FINE * height, 32, SDL_PIXELFORMAT_ARGB8888);
        SDL_Renderer *renderer = large ? SDL_CreateSoftwareRenderer(large) : NULL;
        if (!renderer) fail(SDL_GetError());
        draw(renderer, player, FINE);
        save(large, arguments[2]);
        SDL_DestroyRenderer(renderer);
        SDL_FreeSurface(large);
    } else {
        const int place = SDL_WINDOWPOS_CENTERED;
        if (SDL_Init(SDL_INIT_VIDEO)) fail(SDL_GetError());
        SDL_Window *window = SDL_CreateWindow(arguments[1], place, place, width, height, 0);
        SDL_Renderer *renderer = window ? SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC) : NULL;
        const bl_play_options forever = {sizeof forever, UINT32_MAX, 0, 1, 0};
        if (!renderer) fail(SDL_GetError());
        if (bl_play(player, 0, &forever, NULL)) fail(bl_last_error());
        SDL_Event event = {0};
        for (Uint64 last = SDL_GetPerformanceCounter(); event.type != SDL_QUIT;) {
            const Uint64 now = SDL_GetPerformanceCounter();
            if (bl_step(player, (double)(now - last) / (double)SDL_GetPerformanceFrequency())) fail(bl_last_error());
            last = now;
            draw(renderer, player, 1);
            while (SDL_PollEvent(&event) && event.type != SDL_QUIT) {}
        }
        SDL_Quit();
    }
    free(list);
    bl_free(player);
    return bl_free(figure) ? 1 : 0;
}
